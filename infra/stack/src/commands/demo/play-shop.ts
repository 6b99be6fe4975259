// What goes on in the shop of the demo while somebody looks: some coffees at once, then as many in a day as on the days before.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildAddress, buildChain, type ChainMessage } from '../../chain/index.js'
import { CENT, USDC } from '../tokens.js'
import { COFFEES_A_DAY, slotAt, type ShopHistory } from './shop-history.js'

/** The first few of a new shop: slow enough to read each row, and quick enough that something happens at the first look. */
const FIRST = 4
const FIRST_PACE_MS = 4_000
/** As on the days before, or every comparison with them would say nothing. */
const PACE_MS = 86_400_000 / COFFEES_A_DAY
/** One in so many buyers takes a plan. */
const PLAN_EVERY = 12

/** Ends when the signal does. */
export async function* playShop(
  { gateway, recipient }: Pick<ShopHistory, 'gateway' | 'recipient'>,
  { programId, isNew, signal }: { programId: string | undefined; isNew: boolean; signal: AbortSignal },
): AsyncGenerator<ChainMessage[]> {
  const seed = randomUUID()
  const chain = buildChain({ seed, ...(programId && { programId }), firstSlot: slotAt(Date.now()) })
  /** A block's slot follows from its time, whatever was made before. */
  const now = (messages: ChainMessage[]) =>
    messages.map(message => ({ ...message, slot: slotAt(Date.now()) }))
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
      yield now([wallet.created, policy.created, chain.pay(policy)])
    } else
      yield now([
        chain.payDirectly({
          gateway: gateway.address,
          trackingId: `coffee-${name}`,
          amount: 450n * CENT,
          payer: buildAddress(`${seed}/guest/${buyer}`),
          recipient,
          tokenMint: USDC.mint,
        }),
      ])
    const paceMs = isNew && buyer < FIRST ? FIRST_PACE_MS : PACE_MS
    await sleep(paceMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
  }
}
