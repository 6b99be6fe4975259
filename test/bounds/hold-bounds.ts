// Does one thing after the other to the gateway with a history, and judges how another gateway's payments fared meanwhile.
import { createDatabase, useServers } from '@payment-tracking/testkit'
import type { Test } from 'tap'
import { percentile } from '../bench/bench.js'
import { isSettled, type Act } from './acts.js'
import { openBounds, type Bounds, type BoundsSizes } from './open-bounds.js'

/** `BOUNDS_SIZE=0.01` is a hundredth, for whoever writes on the test. */
export const SHARE = Number(process.env.BOUNDS_SIZE ?? 1)
/** From the stream to the socket and the first attempt, in milliseconds. */
const MOST_MS = 1_000
export const P99_MS = 300
/**
 * `BOUNDS_TIMES=shown` tells times and does not judge them, for machines that do other things meanwhile. What is stored and
 * told is judged in any case.
 */
export const areTimesJudged = process.env.BOUNDS_TIMES !== 'shown'

export async function holdBounds(
  t: Test,
  sizes: BoundsSizes,
  acts: readonly Act[],
  prepare: (bounds: Bounds) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const { natsUrl, redisUrl } = await useServers(t)
  const startedAt = performance.now()
  const bounds = await openBounds(t, { natsUrl, redisUrl }, await createDatabase(t), sizes)
  await prepare(bounds)
  t.comment(`filled in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  await bounds.watch('nothing', () => Promise.resolve())
  const all: number[] = []
  for (const act of acts) {
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
}
