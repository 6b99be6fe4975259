// The sums of due dates, which Postgres adds up, are those of the dates that the list names one by one.
import { deepStrictEqual as deepEqual } from 'node:assert'
import { dueStateOf, readPolicyTerms, type PolicyTerms } from '@payment-tracking/domain'
import { sumDueDates } from '@payment-tracking/store/reads'
import fc from 'fast-check'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { dueDatesOf } from '../../src/merchant/read-upcoming.js'

const DAY = 86_400
/** More dates than any list of these tests has. */
const MOST = 10_000_000
const NOW = Date.parse('2026-11-27T12:00:00Z') / 1_000
const clock = { nowSeconds: NOW, graceSeconds: 7_200 }
const { store, pool } = await openTestStore(t)

interface Made {
  gateway: string
  policyType: string
  paymentCount: number
  nextDue: number | null
  createdAt: number
  mint: string | null
  endsAt: number | null
}

const insert = (policies: readonly Made[]) =>
  pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at, updated_at,
                           next_payment_due, due_at, ends_at, token_mint, payment_count)
     select p->>'gateway' || ' ' || n, true, 'active', p->>'gateway', 'r', 'u', n, (p->>'policyType')::json,
            (p->>'createdAt')::bigint, 0, (p->>'nextDue')::bigint, (p->>'nextDue')::bigint, (p->>'endsAt')::bigint, p->>'mint',
            (p->>'paymentCount')::bigint
       from json_array_elements($1::json) with ordinality a (p, n)`,
    [JSON.stringify(policies)],
  )

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
  endsAt: fc.option(fc.constantFrom(NOW - 1, NOW, NOW + 1)),
})
const span = fc
  .tuple(second, second)
  .filter(([from, to]) => from !== to)
  .map(pair => ({ from: Math.min(...pair), to: Math.max(...pair) }))

const amountOf = (terms: PolicyTerms) =>
  terms.kind === 'subscription' || terms.kind === 'one-time' ? terms.amount : 0n

/** Added up from the dates themselves. */
function addUp(policies: readonly Made[], { from, to }: { from: number; to: number }) {
  const sums = new Map<string, bigint>()
  const add = (key: string, value: bigint) => sums.set(key, (sums.get(key) ?? 0n) + value)
  for (const { policyType, paymentCount, nextDue, createdAt, mint, endsAt } of policies) {
    if (endsAt !== null && endsAt <= NOW) continue
    const terms = readPolicyTerms(policyType)
    const dates = dueDatesOf(
      {
        paymentCount: BigInt(paymentCount),
        createdAt: BigInt(createdAt),
        nextPaymentDue: nextDue === null ? null : BigInt(nextDue),
      },
      terms,
      { from: BigInt(from), to: BigInt(to), now: BigInt(NOW) },
      MOST,
    )
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

t.test('for policies of every kind and any span', async t => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(policy, { minLength: 1, maxLength: 12 }), span, async (given, asked) => {
      const gateway = `gateway ${run++}`
      const policies = given.map(each => ({ ...each, gateway }))
      // Of a second for years, the list is too long to be named.
      const few = policies.filter(
        ({ policyType }) => asked.to - asked.from < 60 * DAY || !/"Custom":\d{1,4}\}/.test(policyType),
      )
      await insert(few)
      const { byToken, byDay } = await sumDueDates(store, gateway, asked, clock)
      const sums = new Map<string, bigint>()
      for (const { tokenMint, count, total, overdue } of byToken) {
        sums.set(`${tokenMint} count`, count)
        sums.set(`${tokenMint} total`, total)
        if (overdue.count > 0n) sums.set(`${tokenMint} overdue`, overdue.count)
      }
      for (const { tokenMint, day, count } of byDay) sums.set(`${tokenMint} on ${day}`, count)
      const sorted = (map: Map<string, bigint>) => [...map].map(String).sort()
      deepEqual(sorted(sums), sorted(addUp(few, asked)))
    }),
    { numRuns: 300, seed: 1_127 },
  )
  t.pass('all sums are equal')
})
