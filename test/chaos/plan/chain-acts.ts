// Direct transfers, composable policies, and what the indexer says of the chain itself: finality and retraction.
import { buildAddress, toFixedBytes } from '@payment-tracking/stack'
import { earlier, type ChainEventMessage, type Say, type Publish, type World } from './world.js'
import { writeControl } from './messages.js'

/** What a direct transfer names as its policy. */
const NO_POLICY = '11111111111111111111111111111111'

const COMPOSABLE_MEMO_BYTES = 32
const LONGEST_BASKET = 3

/** Slots by which finality trails the newest one, on average. */
const FINALITY_LAG_SLOTS = 40

const secondsOf = ({ timestamp }: ChainEventMessage): string =>
  String(Math.floor(Date.parse(timestamp) / 1000))

export async function actAnew(world: World, say: Say, publish: Publish): Promise<void> {
  const { random } = world
  const die = random.next()
  if (die < 0.3) return transfer(world, publish)
  if (die < 0.4 || world.composables.length === 0) return openComposable(world, publish)
  if (die < 0.7) return execute(world, publish)
  if (die < 0.82) return finalize(world, say)
  return retract(world, say, publish)
}

/** Some transfers of one transaction, often to the same tracking ID, sometimes equal but for their index. */
function transfer({ chain, random, gateways, trackingIds }: World, publish: Publish): void {
  const isIndexed = random.chance(0.8)
  const build = (): Record<string, unknown> => ({
    payment_policy: NO_POLICY,
    gateway: random.pick(gateways).address,
    amount: String(random.between(0, 10_000_000)),
    timestamp: '0',
    memo: toFixedBytes(random.pick(trackingIds), 64),
    record_id: 0,
    payer: buildAddress(`payer ${random.between(1, 5)}`),
    recipient: buildAddress(`shop ${random.between(1, 5)}`),
    token_mint: buildAddress(`mint ${random.between(1, 3)}`),
  })
  const first = chain.emit('PaymentRecord', build())
  first.data.timestamp = secondsOf(first)
  const count = isIndexed ? random.between(1, LONGEST_BASKET) : 1
  for (let index = 0; index < count; index++) {
    const data =
      index === 0 || random.chance(0.5) ? first.data : { ...build(), timestamp: first.data.timestamp }
    const { index: _index, ...withoutIndex } = first
    publish(isIndexed ? { ...first, index, data } : { ...withoutIndex, data })
  }
}

async function openComposable(world: World, publish: Publish): Promise<void> {
  const { chain, random, gateways, trackingIds, composables } = world
  const userPayment = await chain.openUserPayment(buildAddress(`mint ${random.between(1, 3)}`))
  const short = trackingIds.filter(trackingId => Buffer.byteLength(trackingId) <= COMPOSABLE_MEMO_BYTES)
  const amount = String(random.between(1, 10_000_000))
  const composable = {
    address: buildAddress(`composable ${userPayment.address}`),
    gateway: random.pick(gateways).address,
    recipient: buildAddress(`shop ${random.between(1, 5)}`),
    trackingId: random.pick(short),
    executions: 0,
  }
  const created = chain.emit('ComposablePolicyCreated', {
    composable_policy: composable.address,
    user_payment: userPayment.address,
    recipient: composable.recipient,
    gateway: composable.gateway,
    policy_id: random.between(1, 100),
    policy_type: random.chance(0.3)
      ? { variant: 'OneTime', amount, due_date: '0', expiry_date: null }
      : {
          variant: 'Subscription',
          amount,
          auto_renew: true,
          max_renewals: random.chance(0.5) ? random.between(1, 5) : null,
          payment_frequency: { variant: random.pick(['Daily', 'Monthly']) },
          next_payment_due: '1769900000',
        },
    memo: toFixedBytes(composable.trackingId, COMPOSABLE_MEMO_BYTES),
    forward_config: {
      input_mint: buildAddress(`mint ${random.between(1, 3)}`),
      output_mint: buildAddress('mint of another program'),
    },
    validation: null,
  })
  composables.push(composable)
  publish(userPayment.created, random.between(0, 2_000))
  // Its first executions may come long before it.
  publish(created, random.between(0, 4_000))
}

function execute({ chain, random, composables, trackingIds }: World, publish: Publish): void {
  const composable = random.pick(composables)
  const executed = chain.emit('ComposableExecuted', {
    composable_policy: composable.address,
    gateway: composable.gateway,
    target_program: buildAddress('another program'),
    input_amount: String(random.between(0, 10_000_000)),
    output_amount: String(random.between(0, 10_000_000)),
    gateway_fee: '1',
    protocol_fee: '2',
    recipient: composable.recipient,
    timestamp: '0',
    record_id: (composable.executions += 1),
    ...memoOf(random.next(), () => random.pick(trackingIds)),
  })
  executed.data.timestamp = secondsOf(executed)
  publish(executed)
}

/** A tracking ID of its own, or that of its policy: older programs have no memo, newer ones an empty one. */
function memoOf(die: number, pick: () => string): { memo?: number[] | null } {
  if (die < 0.4) return {}
  if (die < 0.6) return { memo: null }
  return { memo: toFixedBytes(pick(), 64) }
}

/** Slots become final; watermarks may overtake each other. */
function finalize(world: World, say: Say): void {
  const { random } = world
  const { message } = earlier(world).message
  if (!message) return
  const slot = message.slot - random.between(0, 2 * FINALITY_LAG_SLOTS)
  if (slot > 0) say(writeControl({ kind: 'finalized', slot }))
}

/**
 * The finalized chain does not hold a transaction; often it holds it in a later slot. Its messages and the retraction
 * come in any order.
 */
function retract(world: World, say: Say, publish: Publish): void {
  const { chain, random, transactions, contradicted, retracted } = world
  const { message } = earlier(world).message
  if (!message || contradicted.has(message.signature) || retracted.has(message.signature)) return
  const { signature, slot } = message
  retracted.add(signature)
  say(writeControl({ kind: 'retracted', signature, slot }), random.between(0, 2_500))
  if (random.chance(0.2)) say(writeControl({ kind: 'retracted', signature, slot }))
  if (random.chance(0.5)) return
  const { slot: again } = chain.emit('Nothing', {})
  for (const event of transactions.get(signature) ?? []) {
    if (event.slot === slot) publish({ ...event, slot: again }, random.between(0, 3_500))
  }
}
