// A deployment's one-shot job: migrates MIGRATION_DATABASE_URL, or else DATABASE_URL, and exits; the exit code is 1
// after a failure. `--rolled-back NAME` marks a failed migration, so that the next run applies it again.
import { fileURLToPath } from 'node:url'
import { ConfigError, createLogger, readConfig } from '@payment-tracking/runtime'
import { MigrateConfig } from './core/database/migrate-config.js'
import { markRolledBack, migrate } from './core/database/migrate.js'

/** Defined here and not in migrate.ts: in the image, a bundle replaces this file at the same path. */
const MIGRATIONS_DIR = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

try {
  const config = readConfig(MigrateConfig, process.env)
  const databaseUrl = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL
  if (databaseUrl === undefined) throw new ConfigError(['DATABASE_URL is not set (the database to migrate)'])
  const target = { ...config, DATABASE_URL: databaseUrl }
  const log = createLogger('migrate', config)
  try {
    const [flag, name] = process.argv.slice(2)
    if (flag === '--rolled-back' && name !== undefined) {
      await markRolledBack(target, name)
      log.info({ migration: name }, 'migrate.marked-rolled-back')
    } else {
      const applied = await migrate(target, MIGRATIONS_DIR, {
        onWaiting: holder => log.info({ holder }, 'migrate.waiting-for-lock'),
        onMissingRoles: roles =>
          log.warn({ roles, cure: 'make them (infra/postgres/make-roles.sh)' }, 'migrate.roles-missing'),
      })
      log.info({ applied }, 'migrate.done')
    }
  } catch (err) {
    log.fatal({ err }, 'migrate.failed')
    process.exitCode = 1
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
