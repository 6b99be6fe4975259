import { setTimeout as sleep } from 'node:timers/promises'
import type { Intake, Logger } from '@payment-tracking/runtime'

export interface MaintenanceTask {
  name: string
  everyMs: number
  /** @param stop aborted when the worker stops: a task of many pages ends with the page in hand */
  run: (stop: AbortSignal) => Promise<void>
}

/**
 * Runs tasks repeatedly, each at its own interval. A failed task is logged and runs again at its next time: a short
 * outage of Redis or Postgres is no reason to stop.
 */
export function buildMaintenance(tasks: readonly MaintenanceTask[], log: Logger): Intake {
  const abort = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  const repeat = async ({ name, everyMs, run }: MaintenanceTask): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await run(abort.signal)
      } catch (err) {
        log.warn({ err, task: name }, 'maintenance.failed')
      }
      // A random spread, so that the workers do not all start at the same moment.
      await sleep(everyMs * (0.9 + 0.2 * Math.random()), undefined, { signal: abort.signal }).catch(() => {})
    }
  }

  return {
    start: () => {
      running = Promise.all(tasks.map(repeat))
    },
    stop: async () => {
      abort.abort()
      await running
    },
  }
}
