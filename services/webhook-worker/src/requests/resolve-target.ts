// Resolve, check, pin: the addresses that were checked are the ones that are connected to. A name that means
// something else a moment later changes nothing.
import { Resolver } from 'node:dns/promises'
import { isPublicAddress } from '@payment-tracking/domain'
import { TargetRefusedError } from './errors.js'

export interface PinnedAddress {
  address: string
  family: 4 | 6
}

/** Answers all addresses of a name; rejects when there are none. */
export type ResolveName = (name: string) => Promise<PinnedAddress[]>

/**
 * Asks the name servers directly. `dns.lookup` would queue in the four threads of the pool, where one slow name
 * server could hold up every other endpoint's deliveries.
 */
export function buildNameResolver(timeoutMs: number): ResolveName {
  const resolver = new Resolver({ timeout: Math.max(250, Math.floor(timeoutMs / 3)), tries: 2 })
  return async name => {
    // Of names without a server behind them, this is the one that development needs.
    if (/(^|\.)localhost\.?$/.test(name)) return [{ address: '127.0.0.1', family: 4 }]
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses: PinnedAddress[] = []
    if (four.status === 'fulfilled')
      addresses.push(...four.value.map(address => ({ address, family: 4 as const })))
    if (six.status === 'fulfilled')
      addresses.push(...six.value.map(address => ({ address, family: 6 as const })))
    if (addresses.length === 0) throw four.status === 'rejected' ? four.reason : new Error('no address')
    return addresses
  }
}

/**
 * The addresses a request to `host` may be sent to. One bad address among good ones refuses them all: it would
 * be a matter of luck which is taken.
 * @param host a name, or an address without brackets
 * @throws TargetRefusedError
 */
export async function resolveTarget(
  host: string,
  literal: boolean,
  rules: { allowPrivateTargets: boolean; resolve: ResolveName },
): Promise<PinnedAddress[]> {
  // The connection asks no resolver about a literal, so it is checked here.
  const addresses: PinnedAddress[] = literal
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await rules.resolve(host)
  if (!rules.allowPrivateTargets && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new TargetRefusedError('the endpoint resolves to a private or reserved address')
  return addresses
}
