// Resolve, check, pin: the worker connects only to the checked addresses. If the name resolves to other addresses a
// moment later, that changes nothing.
import { isPublicAddress } from '@payment-tracking/domain'
import { TargetRefusedError } from './errors.js'

export interface PinnedAddress {
  address: string
  family: 4 | 6
}

/** A name can have thousands of addresses. The worker connects to this many of each family at most. */
const ADDRESSES_OF_FAMILY = 8

/** Resolves with all addresses of a name; rejects when the name has none. */
export type ResolveName = (name: string) => Promise<PinnedAddress[]>

/** The same few addresses, in whatever order the name server answers: a pool of connections is kept for exactly these. */
function chooseAddresses(addresses: readonly PinnedAddress[]): PinnedAddress[] {
  const sorted = addresses.toSorted((a, b) => (a.address < b.address ? -1 : 1))
  return [4, 6].flatMap(of => sorted.filter(({ family }) => family === of).slice(0, ADDRESSES_OF_FAMILY))
}

/**
 * The addresses that a request to `host` may be sent to, at most 16. One refused address refuses the whole name: otherwise chance
 * would decide which address a request uses.
 * @param host a name, or an address without brackets
 * @throws TargetRefusedError when `host` is a refused address; for a name, the error that an unknown name gives
 */
export async function resolveTarget(
  host: string,
  literal: boolean,
  rules: { allowPrivateTargets: boolean; resolve: ResolveName },
): Promise<PinnedAddress[]> {
  // The connection does not resolve a literal address, so this function checks the literal itself.
  const addresses: PinnedAddress[] = literal
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await rules.resolve(host)
  if (!rules.allowPrivateTargets && !addresses.every(({ address }) => isPublicAddress(address))) {
    const problem = 'the endpoint resolves to a private or reserved address'
    // The error must not tell a gateway which names exist inside our network: such a name looks unknown.
    throw literal ? new TargetRefusedError(problem) : new Error(problem)
  }
  return chooseAddresses(addresses)
}
