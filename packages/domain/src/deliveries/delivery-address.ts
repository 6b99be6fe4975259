// Which addresses a webhook may be delivered to. A gateway chooses the URL and the request leaves from inside our network,
// so only public addresses are allowed.
import ipaddr from 'ipaddr.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

const ranges = (...cidrs: string[]): Range[] => cidrs.map(cidr => ipaddr.parseCIDR(cidr))

/** IANA's special-purpose IPv4 registry, with multicast and the reserved end. */
const DENIED_V4 = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
)

/**
 * The allowed IPv6 addresses: global unicast without protocol assignments, Teredo, documentation and 6to4. A list of
 * denied addresses would miss a form (IPv4-compatible, NAT64, site-local).
 */
const ALLOWED_V6 = ranges('2000::/3')
const DENIED_V6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20')

/**
 * Public by number, and inside clouds their own services: Azure's agent and metadata, IBM's private services, Google's private
 * way to its interfaces. Metadata of others lies in link-local and reserved ranges.
 */
const OF_CLOUDS = ranges(
  '168.63.129.16/32',
  '161.26.0.0/16',
  '166.8.0.0/14',
  '199.36.153.4/30',
  '199.36.153.8/30',
)

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, list: Range[]): boolean =>
  list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

const isPublicV4 = (address: ipaddr.IPv4): boolean =>
  !within(address, DENIED_V4) && !within(address, OF_CLOUDS)

/**
 * @param text an address as a resolver gives it, or the host of a parsed URL without its brackets
 * @returns false also for text that is no address
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv4) return isPublicV4(address)
  if (address.zoneId) return false
  if (address.isIPv4MappedAddress()) return isPublicV4(address.toIPv4Address())
  return within(address, ALLOWED_V6) && !within(address, DENIED_V6)
}
