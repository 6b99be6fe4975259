// What the pages compute by themselves: amounts, due dates, times of deliveries.
import { nextPaymentDue } from '@payment-tracking/domain'
import fc from 'fast-check'
import t from 'tap'
import { breakerOpenUntil, deliveryTimes } from '../src/site/gateway/delivery-times.js'
import { formatAmount } from '../src/site/show/format-amount.js'
import { dueDatesUntil } from '../src/site/subscriptions/due-dates.js'

t.test('amounts keep every digit', async t => {
  for (const [raw, decimals, shown] of [
    ['5000000', 6, '5.00'],
    ['1234567', 6, '1.234567'],
    ['1', 6, '0.000001'],
    ['0', 9, '0.00'],
    ['18446744073709551615', 6, '18,446,744,073,709.551615'],
    ['1234567', 0, '1,234,567'],
    ['-1500000', 6, '-1.50'],
  ] as const)
    t.equal(formatAmount(raw, decimals), shown)
})

t.test('due dates follow the rule of the service', async t => {
  const names = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'SemiAnnually', 'Annually', 'Custom'] as const
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.integer({ min: 1_500_000_000, max: 1_900_000_000 }),
      fc.integer({ min: 3_600, max: 10_000_000 }),
      (name, first, seconds) => {
        const frequency = name === 'Custom' ? { Custom: seconds } : { [name]: null }
        const dates = dueDatesUntil(first, frequency, first + 5 * 366 * 86_400)
        const expected = [BigInt(first)]
        while (expected.length < dates.length) {
          const terms = { name, ...(name === 'Custom' ? { seconds: BigInt(seconds) } : {}) }
          expected.push(
            nextPaymentDue({ createdDue: BigInt(first), frequency: terms, lastPaidAt: expected.at(-1)! })!,
          )
        }
        return dates.length > 1 && dates.every((date, index) => BigInt(date) === expected[index])
      },
    ),
    { numRuns: 60 },
  )
  t.same(dueDatesUntil(1, { Daily: null }, 1e9, 2).length, 2, 'no more than are left')
  t.same(dueDatesUntil(1, { Custom: 0 }, 1e9), [1], 'an interval of nothing ends')
})

t.test('an endpoint is judged by its deliveries', async t => {
  const at = (ms: number) => new Date(1_700_000_000_000 + ms).toISOString()
  const made = (status: string, tookMs: number | null) => ({
    ...{ status, createdAt: at(0) },
    finishedAt: tookMs === null ? null : at(tookMs),
  })
  const times = deliveryTimes([
    ...Array.from({ length: 19 }, (_, index) => made('delivered', (index + 1) * 10)),
    made('delivered', 5_000),
    made('failed', 35_000),
    made('waiting', null),
  ])
  t.match(times, { p50Ms: 110, p95Ms: 5_000, delivered: 20, ended: 21 })
  t.match(deliveryTimes([]), { p50Ms: null, p95Ms: null, delivered: 0, ended: 0 })
})

t.test('a breaker is open until the first delivery that it holds back is tried', async t => {
  const held = (heldReason: string, nextAttemptAt: string | null) => ({ heldReason, nextAttemptAt })
  t.equal(
    breakerOpenUntil([
      held('rate cap', '2026-01-01T00:00:00.000Z'),
      held('breaker open', '2026-01-01T00:00:09.000Z'),
      held('breaker open', '2026-01-01T00:00:02.000Z'),
    ]),
    '2026-01-01T00:00:02.000Z',
  )
  t.equal(breakerOpenUntil([held('rate cap', '2026-01-01T00:00:00.000Z')]), null)
})
