import t from 'tap'
import {
  changesOf,
  EXPECTATION_STATES,
  EXPECTATION_TYPES,
  isLate,
  NOTHING_PAID,
  NOTICES,
  renderExpectation,
  renderExpectationMessage,
  renderPublicExpectation,
  stateAt,
  stateOf,
  toExpectationRecord,
  type ExpectationState,
  type ExpectedSums,
  type NotifiedState,
} from '../src/index.js'

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 27) + seconds * 1000)
const sums = (paidAmount: bigint, inTimeAmount = paidAmount): ExpectedSums => ({
  paidAmount,
  inTimeAmount,
  paymentCount: paidAmount > 0n ? 1n : 0n,
})

/** The rules in words, one after the other. */
function inWords(sum: bigint, amount: bigint, isPast: boolean, isCancelled: boolean): ExpectationState {
  if (isCancelled) return 'cancelled'
  if (sum > amount) return 'overpaid'
  if (sum === amount) return 'paid'
  if (isPast) return 'expired'
  return sum === 0n ? 'open' : 'underpaid'
}

t.test('every combination of sum, term and cancelling has one state', async t => {
  const met = new Set<ExpectationState>()
  for (const amount of [1n, 100n, 2n ** 64n - 1n])
    for (const paid of [0n, 1n, amount - 1n, amount, amount + 1n, 2n ** 70n])
      for (const [expiresAt, now, isPast] of [
        [null, at(9), false],
        [at(5), at(4), false],
        [at(5), at(5), false],
        [at(5), at(5.001), true],
      ] as const)
        for (const cancelledAt of [null, at(0)]) {
          const state = stateOf({ amount, expiresAt, cancelledAt }, sums(paid), now)
          met.add(state)
          const wanted = inWords(paid, amount, isPast, cancelledAt !== null)
          t.equal(state, wanted, `${paid} of ${amount}, ${isPast ? 'past' : 'running'}`)
        }
  t.same([...met].sort(), [...EXPECTATION_STATES].sort(), 'every state is met')
})

t.test('late is what payments in time alone would not have met', async t => {
  const expected = { amount: 100n, expiresAt: at(5), cancelledAt: null }
  t.equal(isLate('paid', expected, sums(100n, 99n)), true)
  t.equal(isLate('overpaid', expected, sums(200n, 100n)), false)
  t.equal(isLate('expired', expected, sums(50n, 0n)), false)
})

t.test('the notices of a change follow from the states before and after', async t => {
  const isMet = (state: ExpectationState) => state === 'paid' || state === 'overpaid'
  for (const before of EXPECTATION_STATES)
    for (const after of EXPECTATION_STATES) {
      const wanted: string[] = []
      const isEnd = before === 'cancelled' || after === 'cancelled' || before === after
      if (!isEnd && isMet(before) && !isMet(after)) wanted.push('reopened')
      if (!isEnd && before !== 'expired' && after === 'expired') wanted.push('expired')
      if (!isEnd && isMet(after)) wanted.push(after)
      if (before === 'open' && after === 'underpaid') wanted.push('underpaid')
      // A part that comes too late is money of somebody.
      if (before === 'expired' && after === 'expired') wanted.push('underpaid')
      const types = wanted.map(type => `expectation.${type}`)
      t.same(NOTICES[before][after], types, `${before} to ${after}`)
    }
  const notified = EXPECTATION_STATES.flatMap(state => Object.values(NOTICES[state]).flat())
  t.same([...new Set(notified)].sort(), [...EXPECTATION_TYPES].sort(), 'every type is sent')
})

t.test('it expires before a late payment, whoever checks when', async t => {
  const expected = { amount: 100n, expiresAt: at(5), cancelledAt: null }
  const notified = { state: 'open', changedAt: at(0), changes: 0n } as const
  const paid = sums(100n, 0n)
  const late = changesOf(notified, expected, { before: NOTHING_PAID, after: paid, now: at(9) })
  t.same(
    late.map(({ state, changedAt, changes, types }) => [state, changedAt, changes, types]),
    [
      ['expired', at(5), 1n, ['expectation.expired']],
      ['paid', at(9), 2n, ['expectation.paid']],
    ],
  )
  t.equal(late[0]!.sums, NOTHING_PAID, 'the notice of an expiry has what had come until then')
  const checked = changesOf(notified, expected, { before: NOTHING_PAID, after: NOTHING_PAID, now: at(6) })
  const then = changesOf(checked[0]!, expected, { before: NOTHING_PAID, after: paid, now: at(9) })
  t.same([...checked, ...then], late)
})

t.test('what had expired before it was cancelled expires first, whoever checks when', async t => {
  const expected = { amount: 100n, expiresAt: at(5), cancelledAt: at(5.003) }
  const notified = { state: 'underpaid', changedAt: at(1), changes: 1n } as const
  const part = sums(30n)
  const told = changesOf(notified, expected, { before: part, after: part, now: at(60) })
  t.same(
    told.map(({ state, changedAt, changes, types }) => [state, changedAt, changes, types]),
    [
      ['expired', at(5), 2n, ['expectation.expired']],
      ['cancelled', at(5.003), 3n, []],
    ],
  )
  const paidAmounts = told.map(({ sums: { paidAmount } }) => paidAmount)
  t.same(paidAmounts, [30n, 0n], 'nothing counts any more')
  const running = changesOf(
    notified,
    { ...expected, cancelledAt: at(5) },
    { before: part, after: part, now: at(60) },
  )
  const states = running.map(({ state }) => state)
  t.same(states, ['cancelled'], 'it was cancelled before it expired')
  t.same(changesOf(told[1]!, expected, { before: NOTHING_PAID, after: part, now: at(61) }), [], 'once')
})

t.test('each new sum is a change; a part after the end is told again', async t => {
  const expected = { amount: 100n, expiresAt: at(5), cancelledAt: null }
  let notified: NotifiedState = { state: 'open', changedAt: at(0), changes: 0n }
  let before = NOTHING_PAID
  const told: unknown[] = []
  for (const [paid, seconds] of [
    [30n, 1],
    [40n, 2],
    [40n, 3],
    [50n, 6],
    [60n, 7],
    [45n, 8],
    [100n, 9],
    [130n, 9],
    [140n, 9],
  ] as const) {
    const after = sums(paid)
    for (const change of changesOf(notified, expected, { before, after, now: at(seconds) })) {
      const types = change.types.map(type => type.replace('expectation.', ''))
      told.push([change.state, change.sums.paidAmount, change.changedAt, types.join()])
      notified = change
    }
    before = after
  }
  t.same(told, [
    ['underpaid', 30n, at(1), 'underpaid'],
    ['underpaid', 40n, at(2), ''],
    ['expired', 40n, at(5), 'expired'],
    ['expired', 50n, at(6), 'underpaid'],
    ['expired', 60n, at(7), 'underpaid'],
    ['expired', 45n, at(8), ''],
    ['paid', 100n, at(9), 'paid'],
    ['overpaid', 130n, at(9.001), 'overpaid'],
    ['overpaid', 140n, at(9.002), ''],
  ])
  t.equal(notified.changes, 9n, 'each has a number and a time of its own')
})

t.test('a reader sees what the scheduler will write', async t => {
  const expected = { amount: 100n, expiresAt: at(5), cancelledAt: null }
  const notified = { state: 'underpaid', changedAt: at(1), changes: 1n } as const
  const part = sums(30n)
  const seen = stateAt(notified, expected, part, at(7))
  const [written] = changesOf(notified, expected, { before: part, after: part, now: at(8) })
  const { state, changedAt, changes } = written!
  t.same(seen, { state, changedAt, changes })
})

t.test('a record keeps every digit, and shows in public no reference', async t => {
  const terms = {
    id: '0192f7a0-0000-7000-8000-000000000000',
    gateway: 'g',
    trackingId: 'order-7',
    recipient: 'r',
    tokenMint: 'm',
    amount: 18446744073709551615n,
    reference: 'cart "9"',
    createdAt: at(0),
    expiresAt: at(5),
    cancelledAt: null,
  }
  const paid = sums(36893488147419103230n, 0n)
  const record = toExpectationRecord(
    terms,
    { state: 'overpaid', changedAt: at(6) },
    { sums: paid, finalCount: 0n, payments: ['e'], eventId: 'e' },
  )
  t.match(renderExpectation(record), '"amount":18446744073709551615,"amountString":"18446744073709551615"')
  t.match(renderExpectation(record), '"paidAmount":36893488147419103230')
  t.match(renderExpectation(record), '"reference":"cart \\"9\\""')
  t.notMatch(renderPublicExpectation(record), 'reference')
  t.match(record, { late: true, finality: 'confirmed' })
  const of = { over: 'all', changes: 2n, position: 9007199254740993n } as const
  const message = renderExpectationMessage('expectation.overpaid', record, of)
  t.same(Object.keys(JSON.parse(message.body) as object), ['id', 'type', 'timestamp', 'position', 'data'])
  t.match(message.body, '"position":9007199254740993,')
  t.match(message.body, '"eventId":"e"')
  const byTime = renderExpectationMessage('expectation.overpaid', record, { ...of, position: null })
  t.match(byTime.body, '"position":null,')
  t.equal(byTime.id, message.id, 'the id follows from the change')
  const other = renderExpectationMessage('expectation.overpaid', record, { ...of, changes: 3n })
  t.not(other.id, message.id, 'each change has an id of its own')
  t.equal(
    toExpectationRecord(
      terms,
      { state: 'open', changedAt: at(0) },
      {
        sums: NOTHING_PAID,
        finalCount: 0n,
        payments: [],
        eventId: null,
      },
    ).finality,
    null,
  )
})
