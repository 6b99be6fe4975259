// After a Redis restart, a worker can be connected and reported alive but get no jobs. Only a restart repairs such a
// worker, so a worker that starts nothing while jobs wait ends itself.
import type { WorkerProgress } from '@payment-tracking/queue'

export interface Watchdog {
  /**
   * Looks once. @returns true when the worker started nothing for the whole limit, although jobs waited all the time
   * and the worker had a free concurrency slot
   */
  look(now: { waiting: number; progress: WorkerProgress; timeMs: number }): boolean
}

export function buildWatchdog(limits: { stuckMs: number; concurrency: number }): Watchdog {
  let started = -1
  let idleSinceMs: number | null = null
  return {
    look: ({ waiting, progress, timeMs }) => {
      const idle = waiting > 0 && progress.started === started && progress.active < limits.concurrency
      started = progress.started
      if (!idle) {
        idleSinceMs = null
        return false
      }
      idleSinceMs ??= timeMs
      return timeMs - idleSinceMs >= limits.stuckMs
    },
  }
}
