// The address of a client, as far as headers can be trusted. Every service that counts or limits clients uses this file,
// so no service can be deceived where another is not.
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'

/** The client of an entry that is no address: all such entries count as one client. */
const UNKNOWN = 'unknown'

/**
 * The address of an entry of `x-forwarded-for`. Proxies write an address, an address with a port, or either in brackets
 * or quotes: the port is another for each connection of a client.
 * @returns an IPv4 address, also where it was written as IPv6, or the shortest form of an IPv6 address without its zone
 */
function readAddress(entry: string): string {
  const text = entry.replaceAll('"', '').trim()
  const [, bracketed = ''] = /^\[(.*)\](?::\d*)?$/.exec(text) ?? []
  const address = [text, bracketed, text.replace(/:\d*$/, '')].find(each => isIP(each) !== 0)
  if (address === undefined) return UNKNOWN
  if (!isIPv6(address)) return address
  const shortest = new SocketAddress({ address, family: 'ipv6' }).address
  // A dual-stack socket reports IPv4 inside IPv6.
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(shortest)?.[1] ?? shortest
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...right]
}

/**
 * Whom limits count: an IPv4 address, or the /64 network of an IPv6 one, which a single client owns.
 * @param address as a socket or a proxy reports it
 */
export function countedAddress(address: string): string {
  const bare = readAddress(address)
  if (!isIPv6(bare)) return bare
  const network = groupsOf(bare).slice(0, 4)
  return `${network.map(group => parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** What one client can own of IPv6 beside a /64: providers give out a /56 or a /48. */
const WIDER = [
  { bits: 56, mask: 0xff00 },
  { bits: 48, mask: 0 },
]

/** The networks in which limits count a client, the narrowest first: an IPv4 address, or an IPv6 /64, its /56 and its /48. */
export function countedNetworks(address: string): readonly [string, ...string[]] {
  const narrowest = countedAddress(address)
  if (!narrowest.endsWith('/64')) return [narrowest]
  const groups = groupsOf(narrowest.slice(0, -3)).slice(0, 4)
  const last = parseInt(groups[3]!, 16)
  return [
    narrowest,
    ...WIDER.map(
      ({ mask, bits }) => `${groups.slice(0, 3).join(':')}:${(last & mask).toString(16)}::/${bits}`,
    ),
  ]
}

/** How much more than an address each of its `countedNetworks` may hold: a network that many share is no single client. */
export const networkLimit = (addressLimit: number, index: number): number => addressLimit * 2 ** index

/** Whether the address that this proxy reports is trusted. Hop 0 is the connection itself. */
export type IsTrusted = (address: string, hop: number) => boolean

/** False: no proxy is trusted. */
export type TrustedProxies = false | IsTrusted

/**
 * Which proxies are trusted to report an address in `x-forwarded-for`. `on` trusts one hop: the entries before the last
 * are chosen by the client.
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
    const bare = readAddress(address)
    return bare !== UNKNOWN && trusted.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
  }
}

/**
 * The client's address: going back from the connection, the first address that is no trusted proxy. The client can
 * invent every entry before that address.
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
  return readAddress(chain[hop]!)
}
