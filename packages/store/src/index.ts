export {
  NotYetError,
  sqlStateOf,
  StoreContentsError,
  StoreRefusedError,
  StoreTimeoutError,
  StoreUnavailableError,
  StoreUnverifiedError,
} from './errors.js'
export * from './ingest/index.js'
export { findConnectProblem, isPostgresAnswering } from './database/is-answering.js'
export { inOneTransaction } from './database/in-one-transaction.js'
export { boundReads } from './database/bound-reads.js'
export { afterCommit } from './database/join-transactions.js'
export { measureClockSkew } from './database/measure-clock-skew.js'
export { MigrateConfig } from './database/migrate-config.js'
export { markRolledBack, migrate, MIGRATIONS_DIR, readMigrations } from './database/migrate.js'
export { makeRoles } from './database/grant-rights.js'
export {
  rightsOf,
  roleOf,
  secretsFor,
  SERVICES_WITH_ROLES,
  TABLES_WITH_RIGHTS,
  urlOfRole,
  type ServiceWithRole,
} from './database/roles.js'
export { refuseOtherSessions } from './database/refuse-other-sessions.js'
export { SessionSettingsError } from './database/session-settings.js'
export { openStore, type Store, type StoreOptions } from './database/open-store.js'
export * from './ops/index.js'
export * from './api-keys/index.js'
export * from './archive/index.js'
export * from './changes/index.js'
export * from './checkout/index.js'
export * from './feed/index.js'
export * from './funds/index.js'
export * from './gateway-sessions/index.js'
export * from './expectations/index.js'
export * from './merchant/index.js'
export * from './reads/index.js'
export * from './realtime/index.js'
export * from './replicas/index.js'
export * from './retention/index.js'
export * from './search/index.js'
export * from './set-aside/index.js'
export * from './webhooks/index.js'
