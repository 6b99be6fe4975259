import { measurePool, runMain } from '@payment-tracking/runtime'
import { openRedis } from '@payment-tracking/redis'
import { openStore } from '@payment-tracking/store'
import { buildRealtime } from './app.js'
import { RealtimeConfig } from './config.js'

/** A subscriber does not wait longer than this for its history. */
const STATEMENT_TIMEOUT_MS = 5_000

await runMain('realtime', RealtimeConfig, async ({ config, log, life }) => {
  const store = await life.own('store', () =>
    openStore({
      ...config,
      poolSize: config.POOL_SIZE,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: 'realtime',
    }),
  )
  measurePool(life.metrics, () => store.poolUse())
  life.probe('postgres', () => store.ping())
  const onError = (err: Error) => log.debug({ err }, 'redis.connection-error')
  const redis = await life.own('redis', () => openRedis({ ...config, connectionName: 'realtime', onError }))
  life.probe('redis', () => redis.ping())
  const realtime = buildRealtime({
    config,
    store,
    redis,
    metrics: life.metrics,
    log,
    onOtherDatabase: error => life.fail(error),
  })
  life.probe('lease', () => realtime.probeLease())
  life.intake('sockets', realtime)
})
