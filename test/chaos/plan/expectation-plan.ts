// What gateways expect to be paid, and how it is paid: in parts, before and after they expect it, too much, too late, and taken
// back.
import { buildAddress } from '@payment-tracking/stack'
import { writeControl } from './messages.js'
import type { PlannedGateway, Say, Publish, World } from './world.js'

export interface PlannedExpectation {
  gateway: PlannedGateway
  trackingId: string
  recipient: string
  tokenMint: string
  amount: bigint
  /** from its creation; null: it never expires */
  lastsMs: number | null
  createdAtMs: number
  cancelledAtMs: number | null
}

/** A block time behind every `expiresAt`. */
const LATE = Date.UTC(2100, 0, 1)

/** One more expectation, and its payments. Others pay for it by chance where its recipient is one of theirs. */
export function expectPayment(world: World, atMs: number, say: Say, publish: Publish): void {
  const { random, gateways, trackingIds, expectations } = world
  const till = random.chance(0.2) ? `shop ${random.between(1, 5)}` : `till ${expectations.length}`
  const expectation: PlannedExpectation = {
    gateway: random.pick(gateways.slice(0, 2)),
    trackingId: random.pick(trackingIds),
    recipient: buildAddress(till),
    tokenMint: buildAddress(`mint ${random.between(1, 3)}`),
    amount: random.chance(0.1) ? 2n ** 64n - 1n : BigInt(random.between(1, 10_000_000)),
    lastsMs: random.chance(0.3) ? null : random.between(500, 6_000),
    createdAtMs: atMs + random.between(0, 2_500),
    cancelledAtMs: random.chance(0.2) ? atMs + random.between(2_500, 5_000) : null,
  }
  // A gateway uses the three together once.
  const keyOf = ({ gateway, trackingId, recipient, tokenMint }: PlannedExpectation) =>
    [gateway.address, trackingId, recipient, tokenMint].join(' ')
  if (expectations.some(other => keyOf(other) === keyOf(expectation))) return
  expectations.push(expectation)
  for (const part of drawParts(world, expectation.amount)) pay(world, expectation, part, say, publish)
}

function drawParts({ random }: World, amount: bigint): bigint[] {
  const part = (amount * BigInt(random.between(1, 99))) / 100n
  return random.pick([[], [part], [amount], [part, amount - part], [part, amount - part, 1n], [amount, part]])
}

/** A payment of its own transaction, sometimes repeated, sometimes taken back, and then sometimes in a later slot. */
function pay(
  world: World,
  expectation: PlannedExpectation,
  amount: bigint,
  say: Say,
  publish: Publish,
): void {
  const { chain, random, gateways } = world
  const { trackingId, recipient, tokenMint } = expectation
  const gateway = random.pick(gateways).address
  const payer = buildAddress(`payer ${random.between(1, 5)}`)
  const paid = chain.payDirectly({ gateway, amount, trackingId, recipient, tokenMint, payer })
  const payment = random.chance(0.15) ? late(paid) : paid
  const delayMs = random.between(0, 3_000)
  publish(payment, delayMs)
  if (random.chance(0.2)) publish(payment, delayMs + random.between(0, 2_000))
  if (!random.chance(0.25)) return
  const { signature, slot } = payment
  world.retracted.add(signature)
  say(writeControl({ kind: 'retracted', signature, slot }), delayMs + random.between(0, 2_500))
  if (random.chance(0.5)) return
  const { slot: again } = chain.emit('Nothing', {})
  publish({ ...payment, slot: again }, delayMs + random.between(0, 3_000))
}

const late = <Message extends { data: Record<string, unknown> }>(message: Message) => ({
  ...message,
  timestamp: new Date(LATE).toISOString(),
  data: { ...message.data, timestamp: String(LATE / 1000) },
})
