// For random events in random order: buckets add up, order changes nothing, and the projections agree with the events.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { openApi } from '../open-api.js'
import { keyOf, memoOf, subscriptionOf, openChain } from '../open-chain.js'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import { signInDirectly } from './sign-in-directly.js'

const DAY = 86_400
const NOW = 1_794_992_800
const DAYS = 20
const keys = makeSigningKeys()
const api = await openApi(t, { RATE_LIMIT_MAX: '100000', JWT_PRIVATE_KEYS: keys }, () => NOW * 1000)
const chain = openChain(api.store)

const FREQUENCIES = [
  { Daily: null },
  { Weekly: null },
  { Monthly: null },
  { Annually: null },
  { Custom: '777777' },
]
const FRACTIONS = [
  ...[
    [2_629_746n, 86_400n],
    [2_629_746n, 604_800n],
    [1n, 1n],
    [1n, 12n],
    [2_629_746n, 777_777n],
  ],
] as [bigint, bigint][]

interface Act {
  policy: number
  kind: 'pay' | 'pause' | 'resume' | 'delete'
  /** seconds before NOW */
  ago: number
  amount: number
  /** seconds by which the block of a payment is later than the payment's own time */
  shift: number
}
const story = fc.record({
  policies: fc.array(
    fc.record({
      wallet: fc.nat(2),
      mint: fc.nat(1),
      frequency: fc.nat(FREQUENCIES.length - 1),
      amount: fc.integer({ min: 1, max: 10 ** 9 }),
      maxRenewals: fc.option(fc.integer({ min: 1, max: 3 })),
      autoRenew: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  events: fc.array(
    fc.record({
      policy: fc.nat(3),
      kind: fc.constantFrom<Act['kind']>('pay', 'pay', 'pay', 'pause', 'resume', 'delete'),
      ago: fc.integer({ min: 1, max: (DAYS - 1) * DAY }),
      amount: fc.integer({ min: 1, max: 10 ** 9 }),
      shift: fc.constantFrom(0, 0, -9 * 3_600, -30 * 3_600, 9 * 3_600, 30 * 3_600),
    }),
    { maxLength: 12 },
  ),
  seed: fc.integer(),
})

type Story = typeof story extends fc.Arbitrary<infer S> ? S : never

/** As they happened on the chain: the slot of an event is its place here. */
const inChainOrder = (events: readonly Act[]): Act[] => [...events].sort((a, b) => b.ago - a.ago)

/** Neither before the policy nor after the last bucket. */
const blockTimeOf = ({ kind, ago, shift }: Act): number =>
  kind === 'pay' ? Math.max(Math.min(NOW - ago + shift, NOW - 1), NOW - DAYS * DAY + 1) : NOW - ago

/** The revenue of a token right before a moment, from the story alone. */
function revenueAt({ policies, events }: Story, mint: number, moment: number): string {
  const common = FRACTIONS.reduce((product, [, denominator]) => product * denominator, 1n)
  let sum = 0n
  for (const [index, policy] of policies.entries()) {
    if (policy.mint !== mint || moment <= NOW - DAYS * DAY) continue
    const isPaid = ({ kind, policy: of }: Act) => kind === 'pay' && of % policies.length === index
    if (!events.some(isPaid)) continue
    const own = inChainOrder(events).filter(
      drawn => drawn.policy % policies.length === index && blockTimeOf(drawn) < moment,
    )
    const payments = own.filter(({ kind }) => kind === 'pay').length
    const last = own.at(-1)?.kind
    const isPaidUp =
      policy.maxRenewals !== null && (payments >= policy.maxRenewals || (!policy.autoRenew && payments === 1))
    const isActive = last === 'resume' || (last !== 'pause' && !isPaidUp)
    if (!isActive || own.some(({ kind }) => kind === 'delete')) continue
    const [numerator, denominator] = FRACTIONS[policy.frequency]!
    sum += (BigInt(policy.amount) * numerator * common) / denominator
  }
  return ((2n * sum + common) / (2n * common)).toString()
}

const MONTHLY = { wallet: 0, mint: 0, frequency: 2, amount: 1_000, maxRenewals: null, autoRenew: true }

/** A payment after a pause makes the policy active again, also with the time of a block before the pause. */
const paidWhilePaused = (shift: number): Story => ({
  policies: [MONTHLY],
  events: [
    { policy: 0, kind: 'pay', ago: 9 * DAY, amount: 5, shift: 0 },
    { policy: 0, kind: 'pause', ago: 5 * DAY, amount: 0, shift: 0 },
    { policy: 0, kind: 'pay', ago: 4 * DAY, amount: 7, shift },
  ],
  seed: 0,
})

/** Of a policy that does not renew itself the first payment is the last, until there is a second one. */
const paidAgain: Story = {
  policies: [
    { ...MONTHLY, maxRenewals: 3, autoRenew: false },
    { ...MONTHLY, maxRenewals: 3 },
  ],
  events: [9, 8, 5, 3].map((days, at) => ({
    policy: at % 2,
    kind: 'pay',
    ago: days * DAY,
    amount: 5,
    shift: 0,
  })),
  seed: 0,
}

/** Of two policies of a wallet one is closed, and its last payment has a later block. */
const closed: Story = {
  policies: [MONTHLY, { ...MONTHLY, amount: 70, maxRenewals: 3 }],
  events: [
    { policy: 0, kind: 'pay', ago: 9 * DAY, amount: 5, shift: 0 },
    { policy: 1, kind: 'pay', ago: 8 * DAY, amount: 5, shift: 0 },
    { policy: 1, kind: 'pay', ago: 6 * DAY, amount: 5, shift: 30 * 3_600 },
    { policy: 1, kind: 'delete', ago: 5 * DAY, amount: 0, shift: 0 },
  ],
  seed: 0,
}

let runs = 0
/** Stores a story under a gateway of its own. @param reversed the same events, the last one first */
async function play({ policies, events }: Story, reversed: boolean) {
  const label = `${++runs}`
  const { gateway, headers } = await signInDirectly(chain, keys, label)
  const steps: (() => Promise<unknown>)[] = []
  const addresses = policies.map(({ wallet, mint, frequency, amount, maxRenewals, autoRenew }, id) => {
    const [owner, token] = [keyOf(`${label} ${wallet}`), keyOf(`mint ${mint}`)]
    const userPayment = deriveUserPayment(DEFAULT_PROGRAM_ID, owner, token)
    const at = NOW - DAYS * DAY
    steps.push(
      () =>
        chain.say('UserPaymentCreated', { owner, token_account: owner, token_mint: token }, at, {
          slot: 10 + id,
        }),
      () =>
        chain.say(
          'PaymentPolicyCreated',
          {
            user_payment: userPayment,
            recipient: keyOf('recipient'),
            gateway,
            policy_id: id,
            policy_type: subscriptionOf({
              amount: String(amount),
              auto_renew: autoRenew,
              max_renewals: maxRenewals,
              next_payment_due: String(at),
              payment_frequency: FREQUENCIES[frequency],
            }),
            memo: memoOf(`${label}-${id}`),
          },
          at,
          { slot: 20 + id },
        ),
    )
    return derivePolicy(DEFAULT_PROGRAM_ID, userPayment, id)
  })
  for (const [index, drawn] of inChainOrder(events).entries()) {
    const { policy, kind, ago, amount } = drawn
    const address = addresses[policy % addresses.length]!
    const [at, slot] = [NOW - ago, 100 + index]
    const status = (name: string) =>
      chain.say(
        'PaymentPolicyStatusChanged',
        { payment_policy: address, old_status: { Active: null }, new_status: { [name]: null } },
        at,
        { slot },
      )
    steps.push(() => {
      if (kind === 'pause') return status('Paused')
      if (kind === 'resume') return status('Active')
      if (kind === 'delete')
        return chain.say(
          'PaymentPolicyDeleted',
          { payment_policy: address, owner: keyOf('x'), policy_id: 0 },
          at,
          { slot },
        )
      const record = { payment_policy: address, gateway, amount: String(amount), timestamp: String(at) }
      const payment = { ...record, memo: memoOf('x'), record_id: index }
      return chain.say('PaymentRecord', payment, blockTimeOf(drawn), { slot })
    })
  }
  for (const step of reversed ? steps.reverse() : steps) await step()
  const get = async (path: string) =>
    (await api.get(`/v1/gateway/${gateway}/merchant/${path}`, { headers })).body
  return { label, get }
}

interface Moving {
  mrrAtStart: string
  series: { mrr: string; movements: Record<string, string> }[]
}

/** Revenue at the start and the movements of a bucket are the revenue at its end, to the last digit. */
function movesFromPointToPoint(t: Test, { mrrAtStart, series }: Moving): void {
  let mrr = BigInt(mrrAtStart)
  const ends = series.map(({ movements }) => {
    for (const moved of Object.values(movements)) mrr += BigInt(moved)
    return mrr.toString()
  })
  const wanted = series.map(point => point.mrr)
  t.same(ends, wanted, 'start + movements = end')
}

const span = `startTime=${new Date((NOW - DAYS * DAY) * 1000).toISOString()}`

t.test('figures of random stories', async t => {
  await fc.assert(
    fc.asyncProperty(story, async drawn => {
      const [straight, backwards] = [await play(drawn, false), await play(drawn, true)]
      const revenue = await straight.get(`revenue?${span}`)
      t.same(await backwards.get(`revenue?${span}`), revenue, 'the order of events changes nothing')
      const payments = drawn.events.filter(({ kind }) => kind === 'pay')
      const mintOf = ({ policy }: Act) =>
        keyOf(`mint ${drawn.policies[policy % drawn.policies.length]!.mint}`)
      for (const token of revenue.byToken) {
        const sum = (numbers: bigint[]) => numbers.reduce((a, b) => a + b, 0n).toString()
        const paid = payments.filter(payment => mintOf(payment) === token.tokenMint)
        t.equal(token.recognizedRevenue, sum(paid.map(({ amount }) => BigInt(amount))), 'volume')
        const points = token.series as { ts: string; recognized: string; mrr: string }[]
        t.equal(sum(points.map(({ recognized }) => BigInt(recognized))), token.recognizedRevenue, 'buckets')
        movesFromPointToPoint(t, token)
        t.equal(points.at(-1)!.mrr, token.mrr, 'the replayed events come to what the projections say')
        const mint = [0, 1].find(each => keyOf(`mint ${each}`) === token.tokenMint)!
        t.same(
          points.map(({ mrr }) => mrr),
          points.map(({ ts }) => revenueAt(drawn, mint, Math.min(Date.parse(ts) / 1000 + DAY, NOW))),
          'revenue at the end of each day',
        )
      }
      const weeks = await straight.get(`revenue?${span}&bucket=week`)
      for (const token of weeks.byToken) movesFromPointToPoint(t, token)
      // A token whose only subscription began and ended within one bucket is listed where a bucket ends between.
      const figuresOf = ({ byToken }: { byToken: Record<string, unknown>[] }) =>
        byToken
          .map(token => [token.tokenMint, token.recognizedRevenue, token.mrr])
          .filter(([, recognized, mrr]) => recognized !== '0' || mrr !== '0')
      t.same(figuresOf(weeks), figuresOf(revenue), 'the size of the buckets changes nothing')
    }),
    { numRuns: 8, examples: [[paidWhilePaused(0)], [paidWhilePaused(-30 * 3_600)], [paidAgain], [closed]] },
  )
})
