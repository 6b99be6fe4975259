// The sums of due dates, which are counted, are those of the dates that the list names one by one.
import { deepStrictEqual as deepEqual } from 'node:assert'
import { dueStateOf, readPolicyTerms, type PolicyTerms } from '@payment-tracking/domain'
import fc from 'fast-check'
import t from 'tap'
import { duesOf, DueSums } from '../../src/merchant/due-sums.js'
import { dueDatesOf } from '../../src/merchant/read-upcoming.js'

const DAY = 86_400
/** More dates than any list of these tests has. */
const MOST = 10_000_000
const NOW = Date.parse('2026-11-27T12:00:00Z') / 1_000
const clock = { nowSeconds: NOW, graceSeconds: 7_200 }

interface Made {
  policyType: string
  paymentCount: number
  nextDue: number | null
  createdAt: number
  mint: string | null
}

const toPolicy = ({ paymentCount, createdAt, nextDue, mint }: Made) => {
  const nextPaymentDue = nextDue === null ? null : BigInt(nextDue)
  return {
    paymentCount: BigInt(paymentCount),
    createdAt: BigInt(createdAt),
    nextPaymentDue,
    dueAt: nextPaymentDue,
    tokenMint: mint,
  }
}

const frequency = fc.oneof(
  ...['Daily', 'Weekly', 'Monthly', 'Quarterly', 'SemiAnnually', 'Annually', 'Fortnightly'].map(name =>
    fc.constant(`{"${name}":null}`),
  ),
  fc.integer({ min: 0, max: 90_000 }).map(seconds => `{"Custom":${seconds}}`),
  fc.constantFrom('{"Custom":"18446744073709551615"}', '{"Custom":"2592000"}'),
)
const second = fc.oneof(
  fc.integer({ min: NOW - 100 * DAY, max: NOW + 100 * DAY }),
  // The last days of months, where dates are shortened.
  fc
    .tuple(
      fc.integer({ min: 2020, max: 2030 }),
      fc.integer({ min: 0, max: 11 }),
      fc.integer({ min: 27, max: 31 }),
    )
    .map(parts => Date.UTC(...parts) / 1_000 + 3_600),
  fc.constantFrom(0, 1, NOW - 1, NOW, NOW + 1, 253_402_300_799),
)
const subscription = fc
  .tuple(frequency, fc.option(fc.nat(5)), fc.boolean(), fc.bigInt(0n, 2n ** 64n - 1n))
  .map(
    ([every, most, renews, amount]) =>
      `{"Subscription":{"amount":"${amount}","auto_renew":${renews},"max_renewals":${most},"next_payment_due":"1","padding":[],"payment_frequency":${every}}}`,
  )
const once = fc
  .tuple(fc.oneof(second, fc.constantFrom('-5', '9223372036854775807')), fc.bigInt(0n, 2n ** 64n - 1n))
  .map(([due, amount]) => `{"OneTime":{"amount":"${amount}","due_date":"${due}","expiry_date":null}}`)
const policy = fc.record({
  policyType: fc.oneof({ weight: 4, arbitrary: subscription }, once),
  paymentCount: fc.nat(4),
  nextDue: fc.option(second, { freq: 8 }),
  createdAt: second,
  mint: fc.option(fc.constantFrom('usdc', 'sol')),
})
const span = fc
  .tuple(second, second)
  .filter(([from, to]) => from !== to)
  .map(pair => ({ from: Math.min(...pair), to: Math.max(...pair) }))

const amountOf = (terms: PolicyTerms) =>
  terms.kind === 'subscription' || terms.kind === 'one-time' ? terms.amount : 0n

const toSpan = ({ from, to }: { from: number; to: number }) => ({
  from: BigInt(from),
  to: BigInt(to),
  now: BigInt(NOW),
})

/** Added up from the dates themselves. */
function addUp(policies: readonly Made[], { from, to }: { from: number; to: number }) {
  const sums = new Map<string, bigint>()
  const add = (key: string, value: bigint) => sums.set(key, (sums.get(key) ?? 0n) + value)
  for (const made of policies) {
    const { mint, nextDue } = made
    const terms = readPolicyTerms(made.policyType)
    const dues = duesOf(toPolicy(made), terms, toSpan({ from, to }))
    const dates = dues === null ? [] : dueDatesOf(dues, BigInt(to), MOST)
    const dueAt = nextDue === null ? null : BigInt(nextDue)
    const isOverdue =
      dueStateOf({ live: true, status: 'active', dueAt, endsAt: null }, NOW, 7_200) === 'overdue'
    for (const date of dates) {
      add(`${mint} count`, 1n)
      add(`${mint} total`, amountOf(terms))
      if (isOverdue && date < BigInt(NOW)) add(`${mint} overdue`, 1n)
      if (Number(date) < from + 400 * DAY) add(`${mint} on ${Number(date / BigInt(DAY))}`, 1n)
    }
  }
  return sums
}

t.test('for policies of every kind and any span', t => {
  fc.assert(
    fc.property(fc.array(policy, { minLength: 1, maxLength: 12 }), span, (given, asked) => {
      // Of a second for years, the list is too long to be named.
      const days = (asked.to - asked.from) / DAY
      const isLong = (type: string) =>
        (days > 60 && /"Custom":\d{1,4}\}/.test(type)) || (days > 4_000 && /"Custom":\d{5}\}/.test(type))
      const few = given.filter(({ policyType }) => !isLong(policyType))
      const found = new DueSums(toSpan(asked), clock)
      for (const made of few) {
        const dues = duesOf(toPolicy(made), readPolicyTerms(made.policyType), toSpan(asked))
        if (dues !== null) found.add(toPolicy(made), dues)
      }
      const sums = new Map<string, bigint>()
      for (const { tokenMint, count, total, overdue } of found.byToken()) {
        sums.set(`${tokenMint} count`, count)
        sums.set(`${tokenMint} total`, total)
        if (overdue.count > 0n) sums.set(`${tokenMint} overdue`, overdue.count)
      }
      for (const { tokenMint, day, count } of found.byDay().days) sums.set(`${tokenMint} on ${day}`, count)
      const sorted = (map: Map<string, bigint>) => [...map].map(String).sort()
      deepEqual(sorted(sums), sorted(addUp(few, asked)))
    }),
    { numRuns: 300, seed: 1_127 },
  )
  t.pass('all sums are equal')
  t.end()
})

t.test('of many tokens the first days are kept, whatever order the policies come in', t => {
  const TOKENS = 300
  const asked = { from: NOW - (NOW % DAY), to: NOW - (NOW % DAY) + 400 * DAY }
  const sums = new DueSums(toSpan(asked), clock)
  let most = 0
  for (let n = 0; n < TOKENS; n++) {
    const made: Made = {
      policyType:
        '{"Subscription":{"amount":"5","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],"payment_frequency":{"Daily":null}}}',
      paymentCount: 1,
      // Late beginners first: the rows of the first days come last.
      nextDue: NOW + 1 + (n < 150 ? 200 * DAY : 0),
      createdAt: NOW,
      mint: `token ${n}`,
    }
    sums.add(toPolicy(made), duesOf(toPolicy(made), readPolicyTerms(made.policyType), toSpan(asked))!)
    most = Math.max(most, sums.keptRows)
  }
  const { days, complete } = sums.byDay()
  t.equal(complete, false)
  t.equal(days.length, 10_000)
  const first = asked.from / DAY
  // 150 tokens a day from the first day on.
  t.same(
    [...new Set(days.map(({ day }) => day))],
    Array.from({ length: Math.ceil(10_000 / 150) }, (_, nth) => first + nth),
  )
  t.ok(days.every(({ count, total }) => count === 1n && total === 5n))
  t.ok(most <= 41_000, `at most ${most} rows at once`)
  t.end()
})
