import t from 'tap'
import { gather } from '../src/deliveries/gather.js'

t.test('what comes while a set is on its way is the next set, each with its own output', async t => {
  const sets: number[][] = []
  const doubled = gather<number, number>(
    async set => {
      sets.push(set)
      await new Promise(resolve => setImmediate(resolve))
      return set.map(item => item * 2)
    },
    { limit: 4, lanes: 1 },
  )
  const outputs = await Promise.all(Array.from({ length: 10 }, (_, n) => doubled.add(n)))
  t.strictSame(outputs, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
  t.strictSame(sets, [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ])
})

t.test('a set that fails rejects its own items only', async t => {
  let runs = 0
  const picky = gather<number, number>(
    set => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve(set)),
    { limit: 1, lanes: 2 },
  )
  const results = await Promise.allSettled([picky.add(1), picky.add(2)])
  t.strictSame(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  t.equal(await picky.add(3), 3)
})
