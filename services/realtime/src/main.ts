import { measurePool, runMain } from '@payment-tracking/runtime'
import { openSignal } from '@payment-tracking/signal'
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
  const signal = await life.own('signal', () =>
    openSignal({ ...config, connectionName: 'realtime', onError }),
  )
  life.probe('redis', () => signal.ping())
  const realtime = buildRealtime({
    config,
    store,
    signal,
    metrics: life.metrics,
    log,
    onOtherDatabase: error => life.fail(error),
  })
  life.probe('lease', () => realtime.probeLease())
  life.intake('sockets', realtime)
})
