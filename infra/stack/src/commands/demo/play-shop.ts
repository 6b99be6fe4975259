// What goes on in the shop of the demo while somebody looks: a coffee every few seconds, now and then a new customer.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildAddress, buildChain, type ChainMessage } from '../../chain/index.js'
import { CENT, USDC } from '../tokens.js'
import { slotAt, type ShopHistory } from './shop-history.js'

/** Slow enough to read each row, and quick enough that something happens at each look. */
const PACE_MS = 4_000
/** One in so many buyers takes a plan. */
const PLAN_EVERY = 12

/** Ends when the signal does. */
export async function* playShop(
  { gateway, recipient }: Pick<ShopHistory, 'gateway' | 'recipient'>,
  programId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChainMessage[]> {
  const seed = randomUUID()
  const chain = buildChain({ seed, ...(programId && { programId }), firstSlot: slotAt(Date.now()) })
  for (let buyer = 1; !signal.aborted; buyer += 1) {
    const name = `${seed.slice(0, 4)}-${buyer}`
    if (buyer % PLAN_EVERY === 0) {
      const wallet = await chain.openUserPayment(USDC.mint)
      const policy = await chain.openPolicy(gateway, wallet, {
        trackingId: `guest-${name}-monthly`,
        recipient,
        amount: 999n * CENT,
        frequency: 'Monthly',
      })
      yield [wallet.created, policy.created, chain.pay(policy)]
    } else
      yield [
        chain.payDirectly({
          gateway: gateway.address,
          trackingId: `coffee-${name}`,
          amount: 450n * CENT,
          payer: buildAddress(`${seed}/guest/${buyer}`),
          recipient,
          tokenMint: USDC.mint,
        }),
      ]
    await sleep(PACE_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
  }
}
