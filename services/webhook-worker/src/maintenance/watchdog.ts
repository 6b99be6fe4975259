// After a Redis restart, a worker can be connected and reported alive but get no jobs. Only a restart repairs such a
// worker, so a worker that starts nothing while jobs wait ends itself. While Redis or Postgres is away nothing can
// start, and a restart would repair nothing.
import type { WorkerProgress } from '@payment-tracking/queue'

export interface Watchdog {
  /**
   * Checks once. @returns true when the worker started nothing between `stuckChecks` checks in a row, although at each of
   * them jobs of its queue waited, Postgres answered and the worker had a free concurrency slot for them
   */
  check(now: { waiting: number; progress: WorkerProgress; postgresAnswers: boolean }): boolean
  /** Forgets the earlier checks, because the queue cannot be asked. */
  forget(): void
}

/** Counts checks instead of time: a process that was paused has checked only once when it continues. */
export function buildWatchdog(stuckChecks: number): Watchdog {
  let started = -1
  let idleChecks = 0
  return {
    check: ({ waiting, progress, postgresAnswers }) => {
      const hasFreeSlot = progress.active < progress.slots
      const idle = waiting > 0 && postgresAnswers && progress.started === started && hasFreeSlot
      started = progress.started
      idleChecks = idle ? idleChecks + 1 : 0
      return idleChecks > stuckChecks
    },
    forget: () => {
      idleChecks = 0
    },
  }
}
