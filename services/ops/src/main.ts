import { openBus } from '@payment-tracking/bus'
import { openQueue } from '@payment-tracking/queue'
import { openBoardQueue } from '@payment-tracking/queue/board'
import { measurePool, runMain, watchClock } from '@payment-tracking/runtime'
import { checkRedis } from '@payment-tracking/runtime/redis'
import {
  measureClockSkew,
  openStore,
  refuseOtherSessions,
  reportWhileRunning,
} from '@payment-tracking/store/core'
import { buildApp } from './app.js'
import { OpsConfig } from './config.js'
import { measurePipeline } from './ops-metrics.js'

await runMain('ops', OpsConfig, async ({ config, log, context }) => {
  await checkRedis(config)
  const onError = (err: Error) => log.debug({ err }, 'queue.error')
  const store = await context.own('store', () =>
    openStore({
      ...config,
      poolSize: config.DATABASE_POOL_SIZE,
      statementTimeoutMs: 10_000,
      applicationName: 'payment-tracking-ops',
    }),
  )
  const bus = await context.own('bus', () => openBus(config, 'payment-tracking-ops', log))
  const queue = await context.own('queue', () =>
    openQueue({ ...config, onError, onUnsupported: error => context.fail(error) }),
  )
  const board = await context.own('board', () => openBoardQueue({ ...config, onError }))
  measurePipeline(context.metrics, store)
  measurePool(context.metrics, () => store.poolUse())
  await watchClock(context, () => measureClockSkew(store))
  await refuseOtherSessions(store)
  reportWhileRunning(context, store, { service: 'ops', log })
  context.probe('postgres', () => store.ping())
  context.probe('nats', () => bus.ping())
  context.probe('redis', () => queue.ping())
  const app = await buildApp({ config, log, store, bus, queue, board })
  context.intake('http', {
    start: async () => {
      const address = await app.listen({ port: config.OPS_PORT, host: config.HOST })
      log.info({ address }, 'http.listening')
    },
    stop: () => app.close(),
  })
})
