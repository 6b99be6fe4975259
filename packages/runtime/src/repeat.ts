import { setTimeout as sleep } from 'node:timers/promises'
import { waitAtMost } from './wait-at-most.js'

export interface RepeatOptions {
  /** the pause after each run, in milliseconds */
  everyMs: number
  /** the pause before the first run; default: `everyMs` */
  firstAfterMs?: number
  /** the share by which a pause varies at random, so that processes that start together do not work together; default: 0 */
  spread?: number
  /** how long a stop waits for the run in hand; default: until its end */
  stopWithinMs?: number
  /** whether a pause keeps the process alive; default: true */
  ref?: boolean
  /**
   * A check that takes no time, or a promise of its end.
   * @param stop aborted by a stop: a run of many pages ends with the page in hand
   */
  run: (stop: AbortSignal) => unknown
  /** hears why a run failed. The next run comes at its time: a short outage is no reason to stop. */
  onError: (error: unknown) => void
}

export interface RepeatedTask {
  start(): void
  stop(): Promise<void>
}

/** Runs a task again and again, one run at a time. A stop ends the pause, and waits for the run in hand. */
export function repeat(options: RepeatOptions): RepeatedTask {
  const { everyMs, firstAfterMs = everyMs, spread = 0, stopWithinMs, ref = true, run, onError } = options
  const abort = new AbortController()
  let running: Promise<void> = Promise.resolve()

  const pause = (ms: number): Promise<void> =>
    sleep(ms * (1 - spread + 2 * spread * Math.random()), undefined, { signal: abort.signal, ref }).catch(
      () => {},
    )

  const loop = async (): Promise<void> => {
    await pause(firstAfterMs)
    while (!abort.signal.aborted) {
      try {
        await run(abort.signal)
      } catch (error) {
        onError(error)
      }
      await pause(everyMs)
    }
  }

  return {
    start: () => {
      running = loop()
    },
    stop: async () => {
      abort.abort()
      await (stopWithinMs === undefined ? running : waitAtMost(stopWithinMs, () => running))
    },
  }
}
