import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { ratioOfTimes } from './ratio-of-times.js'
import { nextPaymentDue, type Frequency } from '../src/index.js'
import { hold } from './hold.js'

const at = (iso: string): bigint => BigInt(Date.parse(iso) / 1000)
const LAST_SECOND = at('9999-12-31T23:59:59Z')

/** Walks day by day with `Date`: slow, and nothing like the code it checks. */
function stepMonthsSlowly(due: bigint, months: number): bigint {
  const date = new Date(Number(due) * 1000)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const month = date.getUTCMonth()
  while (date.getUTCDate() < day) {
    const before = date.getTime()
    date.setUTCDate(date.getUTCDate() + 1)
    if (date.getUTCMonth() !== month) return BigInt(before / 1000)
  }
  return BigInt(date.getTime() / 1000)
}

const MONTHS = { Monthly: 1, Quarterly: 3, SemiAnnually: 6, Annually: 12 } as const

/** The rule word for word: build the chain, take the first date after the payment. */
function dueSlowly(createdDue: bigint, frequency: Frequency, lastPaidAt: bigint): bigint | null {
  let due = createdDue
  for (let step = 0; step <= 1_200; step++) {
    if (due > LAST_SECOND) return null
    if (due > lastPaidAt) return due
    const seconds = { Daily: 86_400n, Weekly: 604_800n, Custom: frequency.seconds }[frequency.name]
    due = seconds ? due + seconds : stepMonthsSlowly(due, MONTHS[frequency.name as keyof typeof MONTHS])
  }
  return null
}

const seconds = (from: string, to: string) => fc.bigInt({ min: at(from), max: at(to) })
const frequencies: fc.Arbitrary<Frequency> = fc.oneof(
  fc
    .constantFrom(...['Daily', 'Weekly', 'Monthly', 'Quarterly', 'SemiAnnually', 'Annually'])
    .map(name => ({ name })),
  fc.bigInt({ min: 1n, max: 10_000_000n }).map(seconds => ({ name: 'Custom', seconds })),
)
/** Dates near the ends of months, where clamping shows. */
const monthEnds = fc
  .tuple(
    fc.integer({ min: 1970, max: 2100 }),
    fc.integer({ min: 0, max: 11 }),
    fc.integer({ min: -3, max: 1 }),
    fc.integer({ min: 0, max: 86_399 }),
  )
  .map(([year, month, offset, time]) => BigInt(Date.UTC(year, month + 1, offset) / 1000 + time))
  .filter(due => due >= 0n)

const dueDates = fc.oneof(seconds('1970-01-01T00:00:00Z', '2100-01-01T00:00:00Z'), monthEnds)

t.test('the next due date is the first of the chain that lies strictly after the last payment', async t => {
  const chains = fc.record({
    createdDue: dueDates,
    frequency: frequencies,
    // So that the slow walk reaches it: at most 1,100 steps on.
    progress: fc.double({ min: -0.1, max: 1, noNaN: true }),
  })
  const property = fc.property(chains, ({ createdDue, frequency, progress }) => {
    const fixed = { Daily: 86_400n, Weekly: 604_800n, Custom: frequency.seconds }[frequency.name]
    const lastPaidAt = createdDue + BigInt(Math.floor(progress * 1_000 * Number(fixed ?? 2_592_000n)))
    const due = nextPaymentDue({ createdDue, frequency, lastPaidAt })
    assert.equal(due, dueSlowly(createdDue, frequency, lastPaidAt))
  })
  hold(t, 'as the rule word for word has it', property, 400)
})

t.test('a payment in the very second it is due moves on; a second before, it does not', async t => {
  const property = fc.property(dueDates, frequencies, (createdDue, frequency) => {
    const dueAfter = (lastPaidAt: bigint) => nextPaymentDue({ createdDue, frequency, lastPaidAt })
    assert.equal(dueAfter(createdDue - 1n), createdDue)
    const next = dueAfter(createdDue)
    assert(next !== null && next > createdDue)
    assert.equal(dueAfter(next - 1n), next)
    assert.notEqual(dueAfter(next), next)
  })
  hold(t, 'strictly after', property, 300)
})

t.test('months are reckoned from the previous due date, its day clamped, its time of day kept', async t => {
  const cases: [string, string, string, string][] = [
    ['Monthly', '2026-01-31T09:30:05Z', '2026-01-31T09:30:05Z', '2026-02-28T09:30:05Z'],
    ['Monthly', '2026-01-31T09:30:05Z', '2026-02-28T09:30:05Z', '2026-03-28T09:30:05Z'],
    ['Monthly', '2028-01-31T00:00:00Z', '2028-02-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['Monthly', '2000-01-31T00:00:00Z', '2000-02-01T00:00:00Z', '2000-02-29T00:00:00Z'],
    ['Monthly', '2100-01-31T00:00:00Z', '2100-02-01T00:00:00Z', '2100-02-28T00:00:00Z'],
    ['Monthly', '2026-12-31T23:59:59Z', '2026-12-31T23:59:59Z', '2027-01-31T23:59:59Z'],
    ['Quarterly', '2025-11-30T12:00:00Z', '2025-12-01T00:00:00Z', '2026-02-28T12:00:00Z'],
    ['SemiAnnually', '2025-08-31T12:00:00Z', '2025-09-01T00:00:00Z', '2026-02-28T12:00:00Z'],
    ['Annually', '2024-02-29T12:00:00Z', '2028-01-01T00:00:00Z', '2028-02-28T12:00:00Z'],
  ]
  for (const [name, createdDue, lastPaidAt, next] of cases) {
    const due = nextPaymentDue({
      createdDue: at(createdDue),
      frequency: { name },
      lastPaidAt: at(lastPaidAt),
    })
    t.equal(due, at(next), `${name} from ${createdDue}`)
  }
})

t.test('without a payment it is the created date, whatever that is', async t => {
  for (const createdDue of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    for (const frequency of [{ name: 'Monthly' }, { name: 'Custom', seconds: 0n }, { name: 'Lunar' }]) {
      t.equal(nextPaymentDue({ createdDue, frequency, lastPaidAt: null }), createdDue)
    }
  }
})

t.test('a date that is none is null', async t => {
  const due = (createdDue: bigint, frequency: Frequency, lastPaidAt: bigint) =>
    nextPaymentDue({ createdDue, frequency, lastPaidAt })
  t.equal(due(100n, { name: 'Custom', seconds: 0n }, 100n), null, 'an interval of nothing')
  t.equal(due(100n, { name: 'Custom', seconds: 2n ** 64n - 1n }, 100n), null, 'beyond the year 9999')
  t.equal(due(LAST_SECOND - 1n, { name: 'Custom', seconds: 1n }, LAST_SECOND - 1n), LAST_SECOND)
  t.equal(due(LAST_SECOND - 1n, { name: 'Custom', seconds: 2n }, LAST_SECOND - 1n), null)
  t.equal(due(LAST_SECOND, { name: 'Monthly' }, LAST_SECOND), null, 'a calendar step beyond 9999')
  t.equal(due(LAST_SECOND + 1n, { name: 'Daily' }, 0n), null, 'a chain that starts beyond 9999')
  t.equal(due(-1n, { name: 'Daily' }, 0n), null, 'a chain that starts before 1970')
  t.equal(due(0n, { name: 'Monthly' }, 2n ** 63n - 1n), null, 'a payment at the end of time')
})

t.test('a calendar chain is followed for 1,200 steps and no further', async t => {
  const createdDue = at('2000-01-15T00:00:00Z')
  const due = (lastPaidAt: string) =>
    nextPaymentDue({ createdDue, frequency: { name: 'Monthly' }, lastPaidAt: at(lastPaidAt) })
  t.equal(due('2100-01-14T23:59:59Z'), at('2100-01-15T00:00:00Z'), 'step 1,200')
  t.equal(due('2100-01-15T00:00:00Z'), null, 'step 1,201')
})

t.test('a frequency that we do not know leaves the created date until it has passed', async t => {
  const frequency = { name: 'Lunar' }
  t.equal(nextPaymentDue({ createdDue: 100n, frequency, lastPaidAt: 99n }), 100n)
  t.equal(nextPaymentDue({ createdDue: 100n, frequency, lastPaidAt: 100n }), null)
  t.equal(nextPaymentDue({ createdDue: 100n, frequency: { name: 'constructor' }, lastPaidAt: 100n }), null)
})

t.test('a short interval forgotten for centuries takes no loop', async t => {
  const due = nextPaymentDue({
    createdDue: 0n,
    frequency: { name: 'Custom', seconds: 1n },
    lastPaidAt: LAST_SECOND - 1n,
  })
  t.equal(due, LAST_SECOND)
})

t.test('a monthly date of 1970 takes no walk through the months either', async t => {
  const datesAfter = (lastPaidAt: bigint) => () => {
    for (let n = 0n; n < 2_000n; n++)
      nextPaymentDue({ createdDue: n, frequency: { name: 'Monthly' }, lastPaidAt })
  }
  const ratio = ratioOfTimes(datesAfter(at('2060-01-15T00:00:00Z')), datesAfter(at('1970-03-15T00:00:00Z')))
  // A walk has 1,080 steps instead of two.
  t.ok(ratio < 30, `${ratio.toFixed(1)} times as long as a date of the next month`)
})
