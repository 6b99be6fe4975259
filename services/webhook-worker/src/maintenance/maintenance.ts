import { repeat, type Intake, type Logger } from '@payment-tracking/runtime'
import type { Lead } from '@payment-tracking/store/core'

export interface MaintenanceTask {
  name: string
  everyMs: number
  /** each worker runs it, whichever leads: it looks after its process or its queue */
  isOwn?: true
  /** @param stop aborted when the worker stops, or leads no longer: a task of many pages ends with the page in hand */
  run: (stop: AbortSignal) => Promise<void>
}

/** How often a worker looks whether it leads: a new leader is at work as soon. */
const LOOKS_EVERY_MS = 1_000

/**
 * Runs tasks repeatedly, each at its own interval: those that are not the worker's own while it leads. A failed task is logged and
 * runs again at its next time: a short outage of Redis or Postgres is no reason to stop.
 */
export function buildMaintenance(tasks: readonly MaintenanceTask[], lead: Lead, log: Logger): Intake {
  const loops = tasks.map(task =>
    repeat({
      everyMs: task.isOwn ? task.everyMs : Math.min(task.everyMs, LOOKS_EVERY_MS),
      firstAfterMs: 0,
      spread: 0.1,
      run: task.isOwn ? task.run : whileLeading(task, lead),
      onError: err => log.warn({ err, task: task.name }, 'maintenance.failed'),
    }),
  )
  return {
    start: () => loops.forEach(loop => loop.start()),
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}

function whileLeading({ everyMs, run }: MaintenanceTask, lead: Lead): MaintenanceTask['run'] {
  let dueAt = 0
  return async stop => {
    const term = lead.term()
    if (term === null || performance.now() < dueAt) return
    try {
      await run(AbortSignal.any([stop, term]))
    } finally {
      dueAt = performance.now() + everyMs - LOOKS_EVERY_MS
    }
  }
}
