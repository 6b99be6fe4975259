import fc from 'fast-check'
import t from 'tap'
import { ActiveSeries } from '../../src/merchant/active-series.js'

const MOMENTS = [10, 20, 30, 40, 50, 60]
const keyOf = (mint: string | null) => mint ?? ''
const paying = (wallet: string | null, amount = 1n, tokenMint: string | null = 'token') => ({
  wallet,
  tokenMint,
  wasPaid: true,
  amount,
  frequency: { name: 'Monthly' as const },
})

t.test('a wallet comes once and leaves with its last subscription', async t => {
  const series = new ActiveSeries([10, 20, 30, 40], keyOf)
  const active = (wallet: string | null, from: number, to?: number) => {
    series.add(from * 1_000, paying(wallet), 1)
    if (to !== undefined) series.add(to * 1_000, paying(wallet), -1)
  }
  for (const [wallet, from, to] of [
    ['a', 5, 25],
    ['a', 15],
    ['b', 12],
    [null, 1],
    ['c', 9, 21],
    ['d', 9, 10],
    ['e', 31],
    ['e', 31],
    ['gone between two moments', 21, 22],
    ['after the last', 40],
  ] as const)
    active(wallet, from, to)
  t.strictSame(series.subscribers(), {
    points: [
      { active: 3, came: 1, left: 1 },
      { active: 2, came: 0, left: 1 },
      { active: 3, came: 1, left: 0 },
    ],
    churn: { activeAtStart: 3, churned: 2, rate: '2/3' },
  })
})

const spell = fc.record({
  wallet: fc.constantFrom('a', 'b', 'c', null),
  token: fc.constantFrom('x', 'y', null),
  amount: fc.bigInt({ min: 0n, max: 9n }),
  from: fc.integer({ min: 0, max: 70 }),
  seconds: fc.option(fc.integer({ min: 0, max: 40 })),
})

t.test('wallets, tokens and revenue agree with what is active at each moment', async t => {
  fc.assert(
    fc.property(fc.array(spell), spells => {
      const series = new ActiveSeries(MOMENTS, keyOf)
      for (const { wallet, token, amount, from, seconds } of spells) {
        series.add(from * 1_000, paying(wallet, amount, token), 1)
        if (seconds !== null) series.add((from + seconds) * 1_000, paying(wallet, amount, token), -1)
      }
      const activeAt = MOMENTS.map(moment =>
        spells.filter(({ from, seconds }) => from < moment && from + (seconds ?? Infinity) >= moment),
      )
      const walletsAt = activeAt.map(
        all => new Set(all.map(({ wallet }) => wallet).filter(each => each !== null)),
      )
      const without = (all: Set<string>, others: Set<string>) =>
        [...all].filter(each => !others.has(each)).length
      const [first, last] = [walletsAt[0]!, walletsAt.at(-1)!]
      t.strictSame(series.subscribers(), {
        points: walletsAt.slice(1).map((after, index) => ({
          active: after.size,
          came: without(after, walletsAt[index]!),
          left: without(walletsAt[index]!, after),
        })),
        churn: {
          activeAtStart: first.size,
          churned: without(first, last),
          rate: first.size === 0 ? null : `${without(first, last)}/${first.size}`,
        },
      })
      const tokens = new Set(activeAt.flat().map(({ token }) => keyOf(token)))
      t.strictSame(new Set(series.tokens()), tokens)
      for (const token of tokens)
        t.strictSame(
          series.recurring(token),
          activeAt.map(all =>
            all.reduce((sum, each) => (keyOf(each.token) === token ? sum + each.amount : sum), 0n),
          ),
        )
    }),
  )
})
