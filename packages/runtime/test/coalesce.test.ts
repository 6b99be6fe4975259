import t from 'tap'
import { coalesce } from '../src/coalesce.js'

t.test('calls that arrive during a run share the next run, and each gets its own output', async t => {
  const runs: number[][] = []
  const double = coalesce<number, number>(
    async items => {
      runs.push(items)
      await new Promise(resolve => setImmediate(resolve))
      return items.map(item => item * 2)
    },
    { maxItems: 4, concurrency: 1 },
  )
  const outputs = await Promise.all(Array.from({ length: 10 }, (_, n) => double(n)))
  t.strictSame(outputs, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
  t.strictSame(runs, [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ])
})

t.test('a run that fails rejects only its own calls', async t => {
  let runs = 0
  const picky = coalesce<number, number>(
    items => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve(items)),
    { maxItems: 1, concurrency: 2 },
  )
  const results = await Promise.allSettled([picky(1), picky(2)])
  const statuses = results.map(({ status }) => status)
  t.strictSame(statuses, ['rejected', 'fulfilled'])
  t.equal(await picky(3), 3)
})

t.test('without a limit of concurrency, a run that hangs delays no later call', async t => {
  let runs = 0
  const ask = coalesce<number, number>(
    items => (++runs === 1 ? new Promise(() => {}) : Promise.resolve(items)),
    { maxItems: 1 },
  )
  void ask(1)
  t.equal(await ask(2), 2)
})
