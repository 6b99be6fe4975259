import { CommonConfig, DatabaseConfig, ServerUrl } from '@payment-tracking/runtime'
import { Type } from 'typebox'

/** The settings of the migration job. */
export const MigrateConfig = Type.Object({
  LOG_LEVEL: CommonConfig.LOG_LEVEL,
  ENVIRONMENT: CommonConfig.ENVIRONMENT,
  DATABASE_URL: Type.Optional(ServerUrl('postgres|postgresql', 'the database to migrate')),
  MIGRATION_DATABASE_URL: Type.Optional(
    ServerUrl('postgres|postgresql', 'the same database past a pooler; DATABASE_URL when it is not set'),
  ),
  DATABASE_TLS_CA: DatabaseConfig.DATABASE_TLS_CA,
  DATABASE_TLS_CERT: DatabaseConfig.DATABASE_TLS_CERT,
  DATABASE_TLS_KEY: DatabaseConfig.DATABASE_TLS_KEY,
})
