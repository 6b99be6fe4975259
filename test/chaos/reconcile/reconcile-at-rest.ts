// The end of a run is when nothing is left to do and nothing differs any more, or when nothing has moved for a while.
import { setTimeout as sleep } from 'node:timers/promises'
import type { System } from '../system/open-system.js'
import { reconcile, type ObservedRun, type Reconciliation } from './reconcile.js'

/** A system that still moves may take so many times as long: on a loaded machine, hundreds of webhooks are sent during the rest. */
const LONGEST = 4
const EVERY_MS = 1_000
/** A process is asked whether it is ready every 150 ms; a busy one answers late. */
const READY_WITHIN_MS = 5_000

/** Work of the database that nobody sees until it is done, each as a query that finds it. */
const OPEN_WORK = {
  'events that a promoted standby lacks': 'stream_head where reingest_from is not null',
  'extremes that are not found again': `work where kind not in ('cancel', 'redeliver')`,
  'expectations that time may end': 'expectations where counting or next_check_at is not null',
}

/** @param withinMs how long nothing may move before what differs counts */
export async function reconcileAtRest(
  observed: ObservedRun & { system: System },
  withinMs: number,
): Promise<Reconciliation> {
  const { publisher, expecter, checker, endpoints, follower, system } = observed
  // What dead endpoints are asked never ends.
  const lively = endpoints.filter(({ behaviour }) => behaviour !== 'dead')
  const countMoves = () =>
    lively.reduce((sum, { receiver }) => sum + receiver.requests.length, follower.events.length)
  const findOpen = async (): Promise<string[]> => {
    const open: string[] = []
    if ((await publisher.lag()) > 0) open.push('messages that ingest has not read')
    if (expecter.waiting > 0) open.push('answers to what is expected')
    for (const [what, from] of Object.entries(OPEN_WORK))
      if ((await checker.query(`select 1 from ${from} limit 1`)).length > 0) open.push(what)
    return open.map(what => `rest: there are ${what}`)
  }
  const last = performance.now() + LONGEST * withinMs
  let [moves, end] = [-1, 0]
  for (;;) {
    if (countMoves() !== moves) end = Math.min(last, performance.now() + withinMs)
    moves = countMoves()
    const open = await findOpen()
    const { differences, counts } = await reconcile(observed)
    if (open.length + differences.length > 0 && performance.now() < end) {
      await sleep(EVERY_MS)
      continue
    }
    const unready = await system.waitUntilReady(Math.max(READY_WITHIN_MS, end - performance.now())).then(
      () => [],
      (error: unknown) => [`rest: ${(error as Error).message}`],
    )
    return { differences: [...open, ...unready, ...differences], counts }
  }
}
