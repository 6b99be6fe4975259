import { openBus } from '@payment-tracking/bus'
import { openBoardQueue, openQueue } from '@payment-tracking/queue'
import { measurePool, runMain } from '@payment-tracking/runtime'
import { openStore } from '@payment-tracking/store'
import { buildApp } from './app.js'
import { OpsConfig } from './config.js'
import { measurePipeline } from './ops-metrics.js'

await runMain('ops', OpsConfig, async ({ config, log, life }) => {
  const onError = (err: Error) => log.debug({ err }, 'queue.error')
  const store = await life.own('store', () =>
    openStore({
      DATABASE_URL: config.DATABASE_URL,
      poolSize: 4,
      statementTimeoutMs: 10_000,
      applicationName: 'payment-tracking-ops',
    }),
  )
  const bus = await life.own('bus', () => openBus(config, 'payment-tracking-ops', log))
  const queue = await life.own('queue', () => openQueue({ ...config, onError }))
  const board = await life.own('board', () => openBoardQueue({ ...config, onError }))
  measurePipeline(life.metrics, store)
  measurePool(life.metrics, () => store.poolUse())
  life.probe('postgres', () => store.ping())
  life.probe('nats', () => bus.ping())
  life.probe('redis', () => queue.ping())
  const app = await buildApp({ config, log, store, bus, queue, board })
  life.intake('http', {
    start: async () => {
      const address = await app.listen({ port: config.OPS_PORT, host: config.OPS_HOST })
      log.info({ address }, 'http.listening')
    },
    stop: () => app.close(),
  })
})
