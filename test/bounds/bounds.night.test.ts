// Nobody waits for another's history: whatever happens to a gateway with hundreds of thousands of payments, waiting messages
// and deliveries, the payments of another gateway reach its socket and its endpoint in time.
import { createDatabase, useServers } from '@payment-tracking/testkit'
import t from 'tap'
import { percentile } from '../bench/bench.js'
import { ACTS, isSettled } from './acts.js'
import { openBounds } from './open-bounds.js'

/** `BOUNDS_SIZE=0.01` is a hundredth, for whoever writes on the test. */
const SHARE = Number(process.env.BOUNDS_SIZE ?? 1)
/** `BOUNDS_DOOMED=100000`: of each of the 20 endpoints of the gateway that ends, two million rows for some minutes more. */
const DOOMED = Number(process.env.BOUNDS_DOOMED ?? 10_000)
const sizes = {
  payments: 300_000 * SHARE,
  waiting: 100_000 * SHARE,
  deliveries: 10_000 * SHARE,
  doomed: DOOMED * SHARE,
}
/** From the stream to the socket and the first attempt, in milliseconds. */
const MOST_MS = 1_000
const P99_MS = 300
/**
 * `BOUNDS_TIMES=shown` tells times and does not judge them, for machines that do other things meanwhile. What is stored and
 * told is judged in any case.
 */
const areTimesJudged = process.env.BOUNDS_TIMES !== 'shown'

t.test('nobody waits for another gateway', async t => {
  const { natsUrl, redisUrl } = await useServers(t)
  const startedAt = performance.now()
  const bounds = await openBounds(t, { natsUrl, redisUrl }, await createDatabase(t), sizes)
  t.comment(`filled in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  await bounds.watch('nothing', () => Promise.resolve())
  const all: number[] = []
  for (const act of ACTS) {
    await t.test(act.name, async t => {
      const { doneMs, slowestMs, slowestOnSocketMs, laggards, stages } = await bounds.watch(
        act.name,
        () => act.do(bounds),
        () => (act.isDone === undefined ? isSettled(bounds) : act.isDone(bounds)),
      )
      all.push(...laggards)
      const slowest = `the slowest took ${slowestMs} ms, and ${slowestOnSocketMs} ms to its socket`
      const times = `done in ${doneMs} ms; of ${laggards.length} payments meanwhile ${slowest}`
      for (const each of stages) t.comment(JSON.stringify(each))
      t.ok(!areTimesJudged || slowestMs <= MOST_MS, times)
      for (const wrong of act.wrong?.(bounds) ?? []) t.equal(await bounds.count(wrong), 0, wrong)
    })
  }
  const p99 = percentile(all, 0.99)
  const tail = `p99 of ${all.length} payments: ${p99} ms`
  t.ok(!areTimesJudged || p99 <= P99_MS, tail)
  await bounds.stop()
})
