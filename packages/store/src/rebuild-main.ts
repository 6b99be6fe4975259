// `npm run rebuild`: computes projections and aggregates of DATABASE_URL again from its events, and exits; the exit
// code is 1 after a failure. A failed rebuild changes nothing, because the rebuild is one transaction.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { CommonConfig, createLogger, DatabaseConfig, readConfig } from '@payment-tracking/runtime'
import { Type } from 'typebox'
import { openStore } from './database/open-store.js'
import { rebuildProjections } from './ingest/rebuild.js'
import { readHeadNow } from './ingest/verify-database.js'

const RebuildConfig = Type.Object({
  LOG_LEVEL: CommonConfig.LOG_LEVEL,
  ENVIRONMENT: CommonConfig.ENVIRONMENT,
  ...DatabaseConfig,
  PROGRAM_ID: Type.String({
    default: DEFAULT_PROGRAM_ID,
    description: 'the Solana program whose events are payments',
  }),
})

const PROGRESS_EVERY_MS = 2_000

try {
  const config = readConfig(RebuildConfig, process.env)
  const log = createLogger('rebuild', config)
  const store = openStore({ ...config, applicationName: 'rebuild', poolSize: 1 })
  try {
    const total = Number((await readHeadNow(store)).position)
    const startedAt = performance.now()
    let saidAt = startedAt
    log.info({ events: total }, 'rebuild.begun')
    const done = await rebuildProjections(store, config.PROGRAM_ID, events => {
      if (performance.now() - saidAt < PROGRESS_EVERY_MS) return
      saidAt = performance.now()
      log.info(
        { events, of: total, percent: Math.floor((100 * events) / Math.max(1, total)) },
        'rebuild.goes-on',
      )
    })
    log.info({ events: done, ms: Math.round(performance.now() - startedAt) }, 'rebuild.done')
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
