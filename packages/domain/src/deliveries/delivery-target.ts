import { isIP } from 'node:net'
import { isPublicAddress } from './delivery-address.js'

export interface TargetRules {
  /** plain HTTP, any port and any address: for development, never for a deployment */
  allowPrivateTargets: boolean
}

export const ENDPOINT_URL_MAX_LENGTH = 2_048

/** Other ports belong to other protocols, and a request to them would be a port scan. */
const PORTS = new Set(['', '443', '8443'])

export type TargetCheck =
  | {
      ok: true
      url: URL
      /** the host without brackets */ host: string
      /** an address, not a name */ literal: boolean
    }
  | { ok: false; reason: string }

/**
 * Checks an endpoint URL by itself: when it is registered, and again before every request. Names are resolved
 * and their addresses checked only before a request, because a name can get another address at any moment.
 * WHATWG parsing turns every notation of an IPv4 address (`0x7f.1`, `2130706433`, `①②⑦.0.0.1`) into the dotted one
 * before it is looked at.
 */
export function checkEndpointUrl(text: string, rules: TargetRules): TargetCheck {
  const refuse = (reason: string): TargetCheck => ({ ok: false, reason })
  if (text.length > ENDPOINT_URL_MAX_LENGTH)
    return refuse(`is longer than ${ENDPOINT_URL_MAX_LENGTH} characters`)
  if (!URL.canParse(text)) return refuse('is not a URL')
  const url = new URL(text)
  const protocols = rules.allowPrivateTargets ? ['https:', 'http:'] : ['https:']
  if (!protocols.includes(url.protocol)) return refuse('must begin with https://')
  if (url.username !== '' || url.password !== '') return refuse('must not hold a user name or password')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (host === '') return refuse('has no host')
  // The URL parser has already made every notation of an IPv4 address the dotted one.
  const literal = isIP(host) !== 0
  if (rules.allowPrivateTargets) return { ok: true, url, host, literal }
  if (!PORTS.has(url.port)) return refuse('must use port 443 or 8443')
  if (literal && !isPublicAddress(host)) return refuse('must not point to a private or reserved address')
  if (!literal && isLocalName(host)) return refuse('must not point to a local name')
  return { ok: true, url, host, literal }
}

/** Names that are defined to stay within the machine or the network. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return (
    !name.includes('.') ||
    /(^|\.)(localhost|local|internal|intranet|home\.arpa|lan|corp|private|onion)$/.test(name)
  )
}
