import { repeat, type Intake, type Logger } from '@payment-tracking/runtime'

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
  const loops = tasks.map(({ name, everyMs, run }) =>
    repeat({
      everyMs,
      firstAfterMs: 0,
      spread: 0.1,
      run,
      onError: err => log.warn({ err, task: name }, 'maintenance.failed'),
    }),
  )
  return {
    start: () => loops.forEach(loop => loop.start()),
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}
