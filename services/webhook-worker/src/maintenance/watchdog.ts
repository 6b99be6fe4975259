// After a Redis restart, a worker can be connected and reported alive but get no jobs. Only a restart repairs such a
// worker, so a worker that starts nothing while jobs wait ends itself. While Redis or Postgres is away nothing can
// start, and a restart would repair nothing.
import type { WorkerProgress } from '@payment-tracking/queue'

export interface Watchdog {
  /**
   * Looks once. @returns true when the worker started nothing between `stuckLooks` looks in a row, although at each of
   * them jobs of its queue waited, Postgres answered and the worker had a free concurrency slot for them
   */
  look(now: { waiting: number; progress: WorkerProgress; postgresAnswers: boolean }): boolean
  /** Forgets the earlier looks, because the queue cannot be asked. */
  forget(): void
}

/** Counts looks instead of time: a process that was paused has looked only once when it continues. */
export function buildWatchdog(stuckLooks: number): Watchdog {
  let started = -1
  let idleLooks = 0
  return {
    look: ({ waiting, progress, postgresAnswers }) => {
      const hasFreeSlot = progress.active < progress.slots
      const idle = waiting > 0 && postgresAnswers && progress.started === started && hasFreeSlot
      started = progress.started
      idleLooks = idle ? idleLooks + 1 : 0
      return idleLooks > stuckLooks
    },
    forget: () => {
      idleLooks = 0
    },
  }
}
