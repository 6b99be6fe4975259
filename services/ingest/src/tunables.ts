/** Numbers of ingest that are no settings. */
export const INGEST_TUNABLES = {
  /** Most messages stored in one transaction. */
  batchSize: 2_000,
  /** When messages of an ingest process that died come again; longer than any batch takes. */
  ackWaitMs: 60_000,
  /** How long a statement may take before ingest gives up the connection to Postgres: then its messages come again. */
  statementTimeoutMs: 60_000,
  /** How often ingest looks for payments that a crash left unannounced. */
  sweepEveryMs: 5_000,
  /** How often ingest removes rows that were kept for long enough. */
  retentionEveryMs: 60_000,
  /** How often ingest looks for months to archive. */
  archiveEveryMs: 3_600_000,
  /** How long ago an event must have been stored before it is archived: readers may lag. */
  archiveSettledSeconds: 86_400,
  /** The most events of a file of the archive. */
  archiveEventsAPart: 20_000,
  /** How long nothing is archived after a restore. */
  archiveRestoredDays: 30,
  /** How long `GET /v1/payments/:signature/trace` can tell when a payment was stored and announced. */
  batchRetentionDays: 90,
  /** How long API keys are kept, with their last use, after they were revoked or expired. */
  apiKeyRetentionDays: 365,
}
