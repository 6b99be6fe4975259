// Who is calling, as far as it can be believed: every service that counts or limits clients asks here, so that
// none of them can be talked into another answer.
import { BlockList, isIP, isIPv6 } from 'node:net'

/** IPv4 inside IPv6, as a dual-stack socket reports it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

const withoutMapping = (address: string): string => MAPPED.exec(address)?.[1] ?? address

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...right]
}

/** Whom limits count: an IPv4 address, or the /64 network of an IPv6 one, which a single client owns. */
export function countedAddress(address: string): string {
  const bare = withoutMapping(address.split('%')[0]!)
  if (!isIPv6(bare)) return bare
  const network = groupsOf(bare).slice(0, 4)
  return `${network.map(group => parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Whether what this address says about who called it is believed. Hop 0 is the connection itself. */
export type IsTrusted = (address: string, hop: number) => boolean

/** False: nobody's word counts. */
export type TrustedProxies = false | IsTrusted

/**
 * Whose `x-forwarded-for` counts. `on` believes one hop only: the entries before the last are whatever the
 * client chose to send to the proxy.
 * @param setting `off`; `on`, the proxy that connects to us; a number of proxies; or addresses and networks,
 *   comma separated
 * @throws when the setting is none of these
 */
export function readTrustedProxies(setting: string): TrustedProxies {
  const word = setting.trim().toLowerCase()
  if (['', 'off', 'false', 'no', '0'].includes(word)) return false
  if (['on', 'true', 'yes'].includes(word)) return (_, hop) => hop === 0
  if (/^\d+$/.test(word)) return (_, hop) => hop < Number(word)
  const trusted = new BlockList()
  for (const entry of word.split(',')) {
    const [address = '', bits] = entry.trim().split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  return address => {
    const bare = withoutMapping(address)
    return isIP(bare) !== 0 && trusted.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
  }
}

/**
 * The client's address as far as it can be believed: from our end of the chain, the first whose word about
 * the one before it does not count. Entries further back are the client's to invent.
 */
export function clientAddress(
  connectionAddress: string,
  forwardedFor: string | string[] | undefined,
  trusted: TrustedProxies,
): string {
  if (trusted === false) return connectionAddress
  const forwarded = String(forwardedFor ?? '')
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
  const chain = [connectionAddress, ...forwarded.reverse()]
  let hop = 0
  while (hop < chain.length - 1 && trusted(chain[hop]!, hop)) hop++
  return chain[hop]!
}
