// `npm run operate -- rebuild`: computes states, details and figures of DATABASE_URL again from its events, and exits; the exit code is
// 1 after a failure. It works page by page beside a running ingest; after a failure or a kill, ingest goes on with it.
import { ProgramSetting } from '@payment-tracking/contracts'
import {
  CommonConfig,
  createLogger,
  DatabaseConfig,
  readArguments,
  readConfig,
} from '@payment-tracking/runtime'
import { Type } from 'typebox'
import { openStore } from './core/database/open-store.js'
import { rebuildProjections } from './ingest/batch/begin-rebuild.js'

const RebuildConfig = Type.Object({
  LOG_LEVEL: CommonConfig.LOG_LEVEL,
  ENVIRONMENT: CommonConfig.ENVIRONMENT,
  ...DatabaseConfig,
  ...ProgramSetting,
})

const PROGRESS_EVERY_MS = 2_000
const USAGE = `usage: npm run operate -- rebuild
  Computes all projections anew from the stored events, while the services go on.
  DATABASE_URL names the database (default: that of the running stack).`

readArguments({ usage: USAGE, options: {} })
try {
  const config = readConfig(RebuildConfig, process.env)
  const log = createLogger('rebuild', config)
  const store = openStore({ ...config, applicationName: 'rebuild', poolSize: 2 })
  try {
    const startedAt = performance.now()
    let saidAt = startedAt
    let done = 0
    log.info('rebuild.begun')
    const onPage = (pages: number) => {
      done = pages
      if (performance.now() - saidAt < PROGRESS_EVERY_MS) return
      saidAt = performance.now()
      log.info({ pages }, 'rebuild.goes-on')
    }
    await rebuildProjections(store, { programId: config.PROGRAM_ID, onPage })
    log.info({ pages: done, ms: Math.round(performance.now() - startedAt) }, 'rebuild.done')
  } catch (err) {
    log.fatal({ err }, 'rebuild.failed')
    process.exitCode = 1
  } finally {
    await store.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
