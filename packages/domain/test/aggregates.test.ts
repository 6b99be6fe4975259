import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { countByName, startOf, sumPayments, type PaymentStatRow, type TokenStatRow } from '../src/index.js'
import { hold } from './hold.js'

const payments = fc.array(
  fc.record({
    gateway: fc.constantFrom('a', 'b'),
    amount: fc.bigInt(0n, 2n ** 64n - 1n),
    tokenMint: fc.constantFrom('mint', null),
    occurredAt: fc.integer({ min: 0, max: 4 * 86_400_000 }).map(ms => new Date(ms)),
  }),
  { maxLength: 12 },
)

/** Adds rows up as the store does when it upserts them. */
function addUp<R extends { count: number }>(
  rows: readonly R[],
  keyOf: (row: R) => string,
  add: (a: R, b: R) => R,
) {
  const sums = new Map<string, R>()
  for (const row of rows) {
    const before = sums.get(keyOf(row))
    sums.set(keyOf(row), before ? add(before, row) : row)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const statKey = (row: PaymentStatRow) => `${row.gateway} ${row.span} ${row.start.getTime()}`
const addStats = (a: PaymentStatRow, b: PaymentStatRow): PaymentStatRow => ({
  ...a,
  count: a.count + b.count,
})
const tokenKey = (row: TokenStatRow) => `${statKey(row)} ${row.tokenMint}`
const addTokens = (a: TokenStatRow, b: TokenStatRow): TokenStatRow => ({
  ...a,
  count: a.count + b.count,
  total: a.total + b.total,
  min: a.min === null || b.min === null ? null : a.min < b.min ? a.min : b.min,
  max: a.max === null || b.max === null ? null : a.max > b.max ? a.max : b.max,
})

t.test('any split of the payments adds up to the same rows', async t => {
  const property = fc.property(payments, fc.nat(12), (all, cut) => {
    const parts = [all.slice(0, cut), all.slice(cut)].map(sumPayments)
    const whole = sumPayments(all)
    assert.deepEqual(
      addUp(
        parts.flatMap(part => part.stats),
        statKey,
        addStats,
      ),
      addUp(whole.stats, statKey, addStats),
    )
    assert.deepEqual(
      addUp(
        parts.flatMap(part => part.tokens),
        tokenKey,
        addTokens,
      ),
      addUp(whole.tokens, tokenKey, addTokens),
    )
    const byToken = whole.tokens.filter(row => row.gateway === '' && row.span === 0)
    assert.equal(
      byToken.reduce((sum, row) => sum + row.count, 0),
      all.length,
    )
    assert.equal(
      byToken.reduce((sum, row) => sum + row.total, 0n),
      all.reduce((sum, payment) => sum + payment.amount, 0n),
    )
    assert.ok(whole.tokens.every(({ span, min, max }) => (span === 0) === (min === null && max === null)))
  })
  hold(t, 'payments add up', property, 300)
})

t.test('events are counted by name, for all time, by day and by hour', async t => {
  const at = new Date('2026-03-04T05:06:07.089Z')
  t.strictSame(
    countByName([
      { name: 'A', occurredAt: at },
      { name: 'A', occurredAt: at },
    ]),
    [
      { name: 'A', span: 0, start: new Date(0), count: 2 },
      { name: 'A', span: 3600, start: new Date('2026-03-04T05:00:00Z'), count: 2 },
      { name: 'A', span: 86_400, start: new Date('2026-03-04T00:00:00Z'), count: 2 },
    ],
  )
  t.strictSame(startOf(3600, new Date('2026-03-04T05:00:00Z')), new Date('2026-03-04T05:00:00Z'))
})
