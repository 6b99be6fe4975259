import { isIPv6 } from 'node:net'

/** IPv4 inside IPv6, as a dual-stack socket reports it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...right]
}

/** Whom the caps count: an IPv4 address, or the /64 network of an IPv6 one, which a single client owns. */
export function countedAddress(address: string): string {
  const mapped = MAPPED.exec(address)
  if (mapped) return mapped[1]!
  if (!isIPv6(address.split('%')[0]!)) return address
  const network = groupsOf(address).slice(0, 4)
  return `${network.map(group => parseInt(group, 16).toString(16)).join(':')}::/64`
}

/**
 * The client's address as far as it can be trusted: with `trustProxy` the last x-forwarded-for entry, which
 * our own proxy wrote (earlier ones are the client's to invent), else the connection's.
 */
export function clientAddress(
  connectionAddress: string,
  forwardedFor: string | string[] | undefined,
  trustProxy: boolean,
): string {
  const forwarded = trustProxy
    ? String(forwardedFor ?? '')
        .split(',')
        .at(-1)!
        .trim()
    : ''
  return countedAddress(forwarded === '' ? connectionAddress : forwarded)
}
