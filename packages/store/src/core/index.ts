export { boundReads } from './database/bound-reads.js'
export { findReplicaFaults } from './database/check-replicas.js'
export { makeRoles } from './database/grant-rights.js'
export type { Head as StreamHead } from './database/head-tracker.js'
export { findConnectProblem, isPostgresAnswering } from './database/is-answering.js'
export { afterCommit, inOneTransaction } from './database/join-transactions.js'
export { measureClockSkew } from './database/measure-clock-skew.js'
export { MigrateConfig } from './database/migrate-config.js'
export { markRolledBack, migrate, MIGRATIONS_DIR, readMigrations } from './database/migrate.js'
export { openStore } from './database/open-store.js'
export {
  rightsOf,
  roleOf,
  secretsFor,
  SERVICES_WITH_ROLES,
  type ServiceWithRole,
  TABLES_WITH_RIGHTS,
  urlOfRole,
} from './database/roles.js'
export { refuseOtherSessions, SessionSettingsError } from './database/session-settings.js'
export type { Store } from './database/sql.js'
export { withClient } from './database/with-client.js'
export {
  NotYetError,
  sqlStateOf,
  StoreContentsError,
  StoreRefusedError,
  StoreTimeoutError,
  StoreUnavailableError,
  StoreUnverifiedError,
} from './errors.js'
export { Lead } from './processes/lead.js'
export { listProcesses, type ProcessRow } from './processes/process-rows.js'
export { type Delays, readDelays, SILENT_AFTER_SECONDS } from './processes/read-delays.js'
export { reportWhileRunning } from './processes/report-process.js'
export { bisect } from './quarantine/bisect.js'
export {
  countQuarantined,
  listQuarantined,
  type QuarantinedRow,
  takeBack,
} from './quarantine/quarantined-rows.js'
export { findDueRisks } from './risk/due-risks.js'
export { type ArchiveProblem, noteArchiveProblem, readArchiveProblem } from './tables/archive-problem.js'
export { type ReadExpectation, toCommittedExpectation } from './tables/expectations.js'
export { readStreamHead, type StreamPlace } from './tables/head.js'
export { readOldestAwaitingDetailsSeconds, readOldestUndeliveredSeconds } from './tables/oldest-waits.js'
export { bodyText } from './tables/payment-bodies.js'
export { revokeKeysOfDeletedGateways } from './tables/revoke-keys.js'
export {
  closeStreamGap,
  countOpenStreamGaps,
  listStreamGaps,
  type MissedMessages,
  noteControlSubjects,
  readControlSubjects,
  recordStreamGap,
  type StreamGap,
} from './tables/stream-gaps.js'
export { ORDERS } from './tables/webhooks.js'
export {
  type Author,
  type Change,
  CHANGE_KINDS,
  type ChangeKind,
  CHANGES_KEPT,
  hostOf,
  writeChanges,
} from './tables/write-changes.js'
export { WEBHOOK_KINDS, type WebhookWorkKind } from './tasks/kinds.js'
export { pageByPage } from './tasks/page-by-page.js'
export { PageSizer } from './tasks/page-sizer.js'
export { WorkOrder } from './tasks/work-order.js'
