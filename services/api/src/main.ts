import { openQueue } from '@payment-tracking/queue'
import { measurePool, runMain, watchClock } from '@payment-tracking/runtime'
import { checkRedis } from '@payment-tracking/runtime/redis'
import { openRedis } from '@payment-tracking/redis'
import { measureClockSkew, refuseOtherSessions, reportWhileRunning } from '@payment-tracking/store/core'
import { buildApp } from './app.js'
import { ApiConfig } from './config.js'
import { openApiDatabases } from './open-api-databases.js'
import { API_TUNABLES } from './tunables.js'

await runMain(
  'api',
  ApiConfig,
  async ({ config, log, context, tracing, tunables }) => {
    await checkRedis(config)
    const { store, reads } = await context.own('store', () =>
      openApiDatabases(config, log, tunables.statementTimeoutMs),
    )
    measurePool(context.metrics, () => store.poolUse())
    await watchClock(context, () => measureClockSkew(store))
    await refuseOtherSessions(store)
    reportWhileRunning(context, store, { service: 'api', log, work: 'http_request_seconds' })
    context.probe('postgres', () => reads.ping())
    const redis = await context.own('redis', () =>
      openRedis({
        ...config,
        connectionName: 'payment-tracking-api',
        onError: err => log.debug({ err }, 'redis.error'),
        onUnsupported: error => context.fail(error),
      }),
    )
    const queue = await context.own('queue', () =>
      openQueue({ ...config, onError: err => log.debug({ err }, 'queue.error') }),
    )
    const { metrics } = context
    const app = await buildApp({ config, log, store, reads, redis, queue, metrics, tracing, tunables })
    context.intake('http', {
      start: async () => {
        const address = await app.listen({ port: config.PORT, host: config.HOST })
        log.info({ address }, 'http.listening')
      },
      stop: () => app.close(),
    })
  },
  API_TUNABLES,
)
