import { MonthlyRevenue, perMonth, type Frequency } from '@payment-tracking/domain'
import fc from 'fast-check'
import t from 'tap'
import { ratioOfTimes } from './ratio-of-times.js'

const NAMES = ['Daily', 'Weekly', 'Monthly', 'Quarterly', 'SemiAnnually', 'Annually']

const added = (subscriptions: readonly (readonly [bigint, Frequency])[]): bigint => {
  const monthly = new MonthlyRevenue()
  for (const [amount, frequency] of subscriptions) monthly.add(amount, frequency)
  return monthly.rounded()
}

/** Over a common denominator. */
function exactly(subscriptions: readonly (readonly [bigint, Frequency])[]): bigint {
  let [numerator, denominator] = [0n, 1n]
  for (const [amount, frequency] of subscriptions) {
    const fraction = perMonth(amount, frequency)
    if (fraction === null) continue
    numerator = numerator * fraction.denominator + fraction.numerator * denominator
    denominator *= fraction.denominator
  }
  return (2n * numerator + denominator) / (2n * denominator)
}

const subscription = fc.tuple(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.oneof(
    fc.constantFrom(...NAMES).map(name => ({ name })),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(seconds => ({ name: 'Custom', seconds })),
    fc.bigInt({ min: 1n, max: 100n }).map(days => ({ name: 'Custom', seconds: days * 86_400n })),
  ) as fc.Arbitrary<Frequency>,
)

t.test('the sum of a month is the exact one, rounded once, in any order', async () => {
  fc.assert(
    fc.property(fc.array(subscription, { maxLength: 12 }), all => {
      const sum = added(all)
      return sum === exactly(all) && sum === added(all.toReversed())
    }),
  )
})

t.test('halves are rounded up, whatever they are made of', async t => {
  const of = (...all: [bigint, string][]) => added(all.map(([amount, name]) => [amount, { name }]))
  t.equal(of([1n, 'SemiAnnually'], [1n, 'Quarterly']), 1n, '1/6 + 1/3')
  t.equal(of([5n, 'Annually']), 0n)
  t.equal(of([6n, 'Annually']), 1n)
})

t.test('what ended is as if it had never been', async () => {
  fc.assert(
    fc.property(fc.array(subscription), fc.array(subscription), (stay, end) => {
      const ended = end.map(([amount, frequency]) => [-amount, frequency] as const)
      return added([...end, ...stay, ...ended]) === added(stay)
    }),
  )
})

t.test('subscriptions with intervals of their own take time that grows as their number', async t => {
  const own = (n: number) =>
    [1_000_003n, { name: 'Custom', seconds: 86_401n + BigInt(n) * 7_919n } as Frequency] as const
  const add = (count: number) => {
    const subscriptions = Array.from({ length: count }, (_, n) => own(n))
    return () => void added(subscriptions)
  }
  const ratio = ratioOfTimes(add(8_000), add(1_000))
  // A common denominator of all intervals grows with each of them: 64 times as long.
  t.ok(ratio < 32, `8 times as many take ${ratio.toFixed(1)} times as long`)
})
