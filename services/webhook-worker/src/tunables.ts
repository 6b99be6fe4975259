/** Numbers of the worker that are no settings. */
export const WORKER_TUNABLES = {
  /** How long a statement may take before the worker gives up the connection to Postgres. */
  statementTimeoutMs: 30_000,
  /** How long after WEBHOOK_TIMEOUT_MS a delivery is taken from a worker that said nothing. */
  claimMarginMs: 10_000,
  /** How long after its time a delivery that nobody works on is put back into the queue. */
  overdueMs: 5_000,
  /** How often due dates that came near or passed are looked for. */
  dueCheckEveryMs: 15_000,
  /** How often risks of due payments that began or are over are looked for. */
  riskCheckEveryMs: 60_000,
  /** A worker that starts no job for this long while jobs wait and servers answer ends itself. */
  watchdogMs: 30_000,
  /** Finished jobs that Redis keeps for the queue dashboard, for at most an hour. */
  completedJobsKept: 1_000,
  /** Failed jobs that Redis keeps for the queue dashboard, for at most a week. */
  failedJobsKept: 10_000,
}
export type WorkerTunables = typeof WORKER_TUNABLES
