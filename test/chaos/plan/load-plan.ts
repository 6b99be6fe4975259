// What is published and when: a small made-up chain, played with everything an indexer may do to it. Messages
// come late, twice, in contradiction, and some are no messages at all.
import { buildAddress, buildChain, type ChainPolicy, buildRandom } from '@payment-tracking/testkit'
import { actAnew } from './chain-acts.js'
import { expectPayment, type PlannedExpectation } from './expectation-plan.js'
import { writeMessage, type PlannedMessage } from './messages.js'
import { spoil } from './rubbish.js'
import { SIEGED_TRACKING_ID } from './socket-plan.js'
import {
  earlier,
  type EndpointBehaviour,
  type LoadStep,
  type PlannedGateway,
  type Say,
  type Publish,
  type World,
} from './world.js'

export interface LoadPlan {
  gateways: PlannedGateway[]
  /** Published and stored before anything is broken: gateways, first policies. */
  opening: PlannedMessage[]
  steps: LoadStep[]
  trackingIds: string[]
  expectations: PlannedExpectation[]
}

/** Texts that have gone wrong somewhere before. */
const TRACKING_IDS = [
  'order-1',
  'order-2',
  'commande-é',
  '订单-3',
  ' spaced ',
  'a'.repeat(64),
  '💶',
  '__proto__',
]
/** What no tracking ID follows from: nothing, and a NUL inside. */
const MUTE_MEMOS = ['', 'a\0b']
const ODD_AMOUNTS = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]
const FREQUENCIES = [
  'Daily',
  'Weekly',
  'Monthly',
  'Quarterly',
  'SemiAnnually',
  'Annually',
  90_000,
  1,
] as const

const FIRST_TIME = Date.UTC(2026, 0, 31, 23, 30)
const STEP_MS = 11 * 60_000
/** Closer together than a seat can change hands and come back: seats are judged by two payments in a row. */
const SIEGE_EVERY_MS = 300
const EXPECT_EVERY_MS = 700

/** @param everyMs on average one message in so many milliseconds */
export async function planLoad(seed: string, lengthMs: number, everyMs: number): Promise<LoadPlan> {
  const random = buildRandom(seed, 'load')
  let time = FIRST_TIME
  const chain = buildChain({ seed: `chaos ${seed}`, now: () => (time += STEP_MS) })
  const endpoints: EndpointBehaviour[][] = [
    ['healthy', 'slow', 'final', 'lifecycle', 'expected', 'expected-final'],
    ['flaky', 'expected'],
    ['dead'],
    [],
  ]
  const gateways: PlannedGateway[] = []
  for (const of of endpoints) gateways.push({ ...(await chain.openGateway()), endpoints: of })
  const world: World = {
    chain,
    random,
    gateways,
    policies: [],
    steps: [],
    trackingIds: TRACKING_IDS,
    composables: [],
    transactions: new Map(),
    contradicted: new Set(),
    retracted: new Set(),
    expectations: [],
  }
  const opening = gateways.map(({ created }) => writeMessage(created))
  for (const trackingId of TRACKING_IDS) {
    const { created, userPayment } = await openPolicy(world, trackingId)
    opening.push(writeMessage(userPayment.created), writeMessage(created))
  }
  const sieged = await openPolicy(world, SIEGED_TRACKING_ID, gateways[0])
  opening.push(writeMessage(sieged.userPayment.created), writeMessage(sieged.created))
  world.policies.pop()

  let siegeAtMs = 0
  let expectAtMs = 0
  for (let atMs = 0; atMs < lengthMs; atMs += random.between(1, everyMs * 2 - 1)) {
    for (; siegeAtMs < atMs; siegeAtMs += SIEGE_EVERY_MS) {
      world.steps.push({ atMs: siegeAtMs, message: writeMessage(chain.pay(sieged)) })
    }
    const { say, publish } = speakAt(world, atMs)
    for (; expectAtMs < atMs; expectAtMs += EXPECT_EVERY_MS) expectPayment(world, atMs, say, publish)
    await act(world, say, publish)
  }
  world.steps.sort((a, b) => a.atMs - b.atMs)
  const { steps, expectations } = world
  return { gateways, opening, steps, trackingIds: [...TRACKING_IDS, SIEGED_TRACKING_ID], expectations }
}

async function openPolicy(
  { chain, random, gateways, policies }: World,
  trackingId: string,
  gateway = random.chance(0.04) ? gateways[2]! : random.pick([gateways[0]!, gateways[1]!, gateways[3]!]),
): Promise<ChainPolicy> {
  const policy = await chain.openPolicy(
    gateway,
    await chain.openUserPayment(buildAddress(`mint ${random.between(1, 3)}`)),
    {
      trackingId,
      amount: BigInt(random.between(1, 10_000_000)),
      frequency: random.pick(FREQUENCIES),
      maxRenewals: random.chance(0.3) ? random.between(1, 5) : null,
      nextPaymentDue: Math.floor(FIRST_TIME / 1000) - random.between(0, 100) * 86_400,
    },
  )
  policies.push(policy)
  return policy
}

/** What is said at a moment, or some time after it. */
function speakAt(world: World, atMs: number): { say: Say; publish: Publish } {
  const { random, steps } = world
  const say: Say = (message, delayMs = random.chance(0.15) ? random.between(1, 2_500) : 0) =>
    void steps.push({ atMs: atMs + delayMs, message })
  const publish: Publish = (message, delayMs) => {
    const events = world.transactions.get(message.signature) ?? []
    if (!events.includes(message)) world.transactions.set(message.signature, [...events, message])
    say(writeMessage(message, random.chance(0.06)), delayMs)
  }
  return { say, publish }
}

/** One more thing happens on the chain, or is said of it. */
async function act(world: World, say: Say, publish: Publish): Promise<void> {
  const { chain, random, policies, steps, trackingIds } = world
  const policy = random.pick(policies)
  // At first there is nothing to repeat or contradict.
  const die = steps.length === 0 ? 0 : random.next()
  if (die > 0 && random.chance(0.2)) return actAnew(world, say, publish)
  if (die < 0.52) {
    const amount = random.chance(0.05) ? random.pick(ODD_AMOUNTS) : policy.amount
    return publish(random.chance(0.05) ? mute(world, policy) : chain.pay(policy, amount))
  }
  if (die < 0.7) {
    const { message } = earlier(world)
    // The same bytes, or the same event by an indexer that knows it to be final.
    return say(message.message === null || random.chance(0.8) ? message : writeMessage(message.message, true))
  }
  if (die < 0.76) {
    const opened = await openPolicy(world, random.pick(trackingIds))
    publish(opened.userPayment.created, random.between(0, 2_000))
    // Its first payments may come before it.
    publish(opened.created, random.between(0, 3_000))
    return
  }
  if (die < 0.81) {
    const paused = random.chance(0.5)
    return publish(chain.changeStatus(policy, paused ? 'Active' : 'Paused', paused ? 'Paused' : 'Active'))
  }
  if (die < 0.84) {
    // Closed, and opened again at the same address: a new life.
    publish(chain.deletePolicy(policy))
    if (random.chance(0.8)) publish(chain.emit('PaymentPolicyCreated', policy.created.data))
    return
  }
  if (die < 0.9) return say(spoil(chain.pay({ ...policy, address: policy.gateway }), random))
  if (die < 0.94) {
    const { message } = earlier(world)
    // Without an index a transfer is known by its content: other words are another transfer.
    if (message.message?.event_name !== 'PaymentRecord' || message.message.index === undefined)
      return publish(chain.pay(policy))
    if (world.retracted.has(message.message.signature)) return publish(chain.pay(policy))
    world.contradicted.add(message.message.signature)
    // Somebody says that it was another amount.
    const { data } = message.message
    const amount = String((BigInt(data.amount as string) + 1n) % 2n ** 64n)
    return say(writeMessage({ ...message.message, data: { ...data, amount } }), random.between(0, 500))
  }
  // A later program's event, with what JSON can hold and `jsonb` cannot.
  publish(
    chain.emit('SomethingNew', { note: 'a\u0000b', lone: '\ud800', nested: { deep: [1e3, null, true] } }),
  )
}

/** A payment that nobody can follow. */
const mute = ({ chain, random }: World, policy: ChainPolicy) =>
  chain.pay({ ...policy, trackingId: random.pick(MUTE_MEMOS) })
