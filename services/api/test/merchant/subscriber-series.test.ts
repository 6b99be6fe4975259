import t from 'tap'
import fc from 'fast-check'
import { subscriberSeries } from '../../src/merchant/subscriber-series.js'

const steady = (wallet: string | null, createdAt: number) => ({
  wallet,
  isSteady: true,
  createdAt: BigInt(createdAt),
})

t.test('a wallet comes once and leaves with its last subscription', async t => {
  const living = [steady('a', 5), steady('a', 15), steady('b', 12), steady(null, 1)]
  const of = (...wallets: string[]) => wallets.map(wallet => ({ wallet }))
  t.strictSame(subscriberSeries([10, 20, 30, 40], living, [of('c', 'd'), of('c'), of('b'), of('e', 'e')]), [
    { active: 3, came: 1, left: 1 },
    { active: 2, came: 0, left: 1 },
    { active: 3, came: 1, left: 0 },
  ])
  t.strictSame(subscriberSeries([10, 20], [], [[], []]), [{ active: 0, came: 0, left: 0 }])
})

t.test('came, left and active agree with the sets of wallets', async () => {
  const wallet = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(wallet, fc.integer({ min: 0, max: 60 }))),
      fc.array(fc.array(wallet), { minLength: 6, maxLength: 6 }),
      (begun, snapshots) => {
        const moments = [10, 20, 30, 40, 50, 60]
        const living = begun.map(([name, createdAt]) => steady(name, createdAt))
        const payers = snapshots.map(wallets => wallets.map(name => ({ wallet: name })))
        const walletsAt = (index: number) =>
          new Set([
            ...snapshots[index]!,
            ...begun.filter(([, createdAt]) => createdAt < moments[index]!).map(([name]) => name),
          ])
        return subscriberSeries(moments, living, payers).every(({ active, came, left }, index) => {
          const [before, after] = [walletsAt(index), walletsAt(index + 1)]
          return (
            active === after.size &&
            came === [...after].filter(name => !before.has(name)).length &&
            left === [...before].filter(name => !after.has(name)).length
          )
        })
      },
    ),
  )
})
