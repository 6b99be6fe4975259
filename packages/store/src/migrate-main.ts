// The one-shot job of a deployment: migrates DATABASE_URL and exits, with 1 when that failed.
import { CommonConfig, createLogger, readConfig, ServerUrl } from '@payment-tracking/runtime'
import { Type } from 'typebox'
import { migrate } from './database/migrate.js'

const MigrateConfig = Type.Object({
  LOG_LEVEL: CommonConfig.LOG_LEVEL,
  ENVIRONMENT: CommonConfig.ENVIRONMENT,
  DATABASE_URL: ServerUrl('postgres|postgresql', 'the database to migrate'),
})

try {
  const config = readConfig(MigrateConfig, process.env)
  const log = createLogger('migrate', config)
  try {
    log.info({ applied: await migrate(config.DATABASE_URL) }, 'migrate.done')
  } catch (err) {
    log.fatal({ err }, 'migrate.failed')
    process.exitCode = 1
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
