import { measurePool, realtimeRedisOf, runMain, watchClock } from '@payment-tracking/runtime'
import { checkRedis } from '@payment-tracking/runtime/redis'
import { openRedis, refuseEviction } from '@payment-tracking/redis'
import {
  measureClockSkew,
  openStore,
  refuseOtherSessions,
  reportWhileRunning,
} from '@payment-tracking/store/core'
import { buildRealtime } from './app.js'
import { RealtimeConfig } from './config.js'
import { REALTIME_TUNABLES } from './tunables.js'

/** The longest time that a subscriber waits for its history. */
const STATEMENT_TIMEOUT_MS = 5_000

await runMain(
  'realtime',
  RealtimeConfig,
  async ({ config, log, context, tunables }) => {
    await checkRedis(realtimeRedisOf(config))
    const store = await context.own('store', () =>
      openStore({
        ...config,
        poolSize: config.DATABASE_POOL_SIZE,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        applicationName: 'realtime',
      }),
    )
    measurePool(context.metrics, () => store.poolUse())
    await watchClock(context, () => measureClockSkew(store))
    await refuseOtherSessions(store)
    reportWhileRunning(context, store, { service: 'realtime', log, work: 'realtime_deliveries_total' })
    context.probe('postgres', () => store.ping())
    const onError = (err: Error) => log.debug({ err }, 'redis.connection-error')
    const redis = await context.own('redis', () =>
      openRedis({
        ...realtimeRedisOf(config),
        connectionName: 'realtime',
        onError,
        onUnsupported: error => context.fail(error),
      }),
    )
    await refuseEviction(redis.commands)
    context.probe('redis', () => redis.ping())
    const realtime = buildRealtime({
      config,
      tunables,
      store,
      redis,
      metrics: context.metrics,
      log,
      onOtherDatabase: error => context.fail(error),
    })
    context.probe('lease', () => realtime.probeLease())
    context.intake('sockets', realtime)
  },
  REALTIME_TUNABLES,
)
