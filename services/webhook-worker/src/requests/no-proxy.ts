// Reads WEBHOOK_NO_PROXY, the hosts that requests reach beside the proxy. A network is compared with the addresses that requests go
// to, and not with the name: a name of the operator's own network has such addresses.
import { BlockList, isIP } from 'node:net'
import type { PinnedAddress } from './resolve-target.js'

/** Where a request goes. */
export interface Target {
  /** a name, or an address without brackets */
  host: string
  port: number
  /** the checked addresses of the name, or the address itself */
  addresses: readonly PinnedAddress[]
}

type IsDirect = (target: Target) => boolean

const HOST_AND_PORT = /^(\[[^[\]]+\]|[^\s[\]:/?#@\\%*]+)(?::(\d{1,5}))?$/

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** @param bits as they stand behind the slash; undefined: a single address */
function readNetwork(address: string, bits: string | undefined): IsDirect | null {
  const network = new BlockList()
  if (bits === undefined) network.addAddress(address, family(address))
  else {
    if (!/^\d{1,3}$/.test(bits) || Number(bits) > (isIP(address) === 6 ? 128 : 32)) return null
    network.addSubnet(address, Number(bits), family(address))
  }
  return ({ addresses }) => addresses.every(each => network.check(each.address, family(each.address)))
}

/** `shop.example` and `*.shop.example` stand for the name and all names below it. */
function readName(text: string): IsDirect | null {
  const url = `http://${text}`
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : ''
  // Part of an address, such as 10.0.0, would be another address.
  if (name === '' || isIP(name)) return null
  return ({ host }) => {
    const asked = host.toLowerCase().replace(/\.$/, '')
    return asked === name || asked.endsWith(`.${name}`)
  }
}

/** @returns null for text that is no entry */
function readEntry(entry: string): IsDirect | null {
  if (entry === '*') return () => true
  const [address = '', bits, ...more] = entry.split('/')
  if (isIP(address)) return more.length === 0 ? readNetwork(address, bits) : null
  const [, host, digits] = HOST_AND_PORT.exec(entry.replace(/^\*?\./, '')) ?? []
  if (host === undefined) return null
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const isOfHost = isIP(bare) ? readNetwork(bare, undefined) : readName(host)
  if (digits === undefined || isOfHost === null) return isOfHost
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? target => target.port === port && isOfHost(target) : null
}

const readEntries = (setting: string) =>
  setting
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
    .map(readEntry)

/** The number of the first entry that cannot be read; 0 when there is none. */
export const findWrongEntry = (setting: string): number => readEntries(setting).indexOf(null) + 1

/**
 * Whether requests to a target leave beside the proxy.
 * @param setting entries, comma separated: a name with all names below it, an address, a network such as `10.0.0.0/8`, a name or an
 *   address with a port, or `*`. It has no wrong entry
 */
export function readNoProxy(setting: string): IsDirect {
  const entries = readEntries(setting)
  return target => entries.some(entry => entry?.(target))
}
