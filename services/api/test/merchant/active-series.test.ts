import { cutParts, monthlyParts, MOVEMENTS, noMovements } from '@payment-tracking/domain'
import fc from 'fast-check'
import assert from 'node:assert/strict'
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

const spell = fc.record({
  wallet: fc.constantFrom('a', 'b', 'c', null),
  token: fc.constantFrom('x', 'y', null),
  amount: fc.bigInt({ min: 0n, max: 9n }),
  from: fc.integer({ min: 0, max: 70 }),
  seconds: fc.option(fc.integer({ min: 0, max: 40 })),
})

t.test('wallets, tokens and revenue agree with what is active at each moment', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(spell), async spells => {
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
          (await series.recurring(token)).recurring,
          activeAt.map(all =>
            all.reduce((sum, each) => (keyOf(each.token) === token ? sum + each.amount : sum), 0n),
          ),
        )
    }),
  )
})

/** A month of these comes to fractions. */
const FREQUENCIES = ['Monthly', 'Quarterly', 'Annually', 'Weekly', 'Never'] as const
const frequent = fc.record({
  spell: spell.map(({ seconds, ...rest }) => ({ ...rest, seconds: seconds ?? 1_000 })),
  frequency: fc.constantFrom(...FREQUENCIES),
})

t.test('what a wallet brings, changes and takes is told as it was, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frequent), fc.infiniteStream(fc.nat()), async (spells, random) => {
      const changes = spells
        .flatMap(({ spell: { wallet, token, amount, from, seconds }, frequency }) => {
          const subscription = { ...paying(wallet, amount, token), frequency: { name: frequency } }
          return [
            { at: from, sign: 1 as const, subscription },
            { at: from + seconds, sign: -1 as const, subscription },
          ]
        })
        .map(change => ({ change, rank: random.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
      const series = new ActiveSeries(MOMENTS, keyOf)
      for (const { change } of changes) series.add(change.at * 1_000, change.subscription, change.sign)
      const wallets = new Set(spells.map(({ spell: { wallet } }) => wallet))
      for (const token of ['x', 'y', '']) {
        const valueAt = (of: string | null, moment: number): bigint =>
          spells.reduce((sum, { spell: each, frequency }) => {
            const isActive = each.from < moment && each.from + each.seconds >= moment
            const isIts = each.wallet === of && keyOf(each.token) === token
            return isActive && isIts ? sum + monthlyParts(each.amount, { name: frequency }) : sum
          }, 0n)
        const { recurring, movements } = await series.recurring(token)
        for (const [index, moved] of movements.entries()) {
          const [start, end] = [MOMENTS[index]!, MOMENTS[index + 1]!]
          const exact = noMovements()
          for (const of of wallets) {
            const [before, after] = [valueAt(of, start), valueAt(of, end)]
            // A moment of which nothing is told, between two of these.
            const hadBefore = Array.from({ length: start }, (_, at) => at + 1).some(
              at => valueAt(of, at) > 0n,
            )
            const name =
              before === after
                ? null
                : before === 0n
                  ? hadBefore
                    ? 'reactivated'
                    : 'new'
                  : after === 0n
                    ? 'churned'
                    : after > before
                      ? 'expansion'
                      : 'contraction'
            if (name) exact[name] += after - before
          }
          const sum = Object.values(moved).reduce((all, each) => all + each, 0n)
          assert.equal(recurring[index]! + sum, recurring[index + 1], 'start + movements = end')
          for (const name of MOVEMENTS) {
            const { whole, rest } = cutParts(exact[name])
            const isIt = moved[name] === whole || (rest > 0n && moved[name] === whole + 1n)
            assert.ok(isIt, `${name} is ${moved[name]}, of ${whole} and more than ${rest}`)
          }
        }
      }
    }),
    { numRuns: 200 },
  )
})
