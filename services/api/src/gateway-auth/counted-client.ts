import { isIPv6 } from 'node:net'

/** Whom shares count: an IPv4 address, or the /64 network of an IPv6 one, which one client owns. */
export function countedClient(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  if (!isIPv6(address)) return address
  // WHATWG URLs know the one short form of an address; what is left of its first four groups is the network.
  const groups = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::')
  const head = groups[0] === '' ? [] : groups[0]!.split(':')
  const tail = groups[1] === undefined || groups[1] === '' ? [] : groups[1].split(':')
  const zeros = groups.length === 1 ? 0 : 8 - head.length - tail.length
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')
}
