import { runMain } from '@payment-tracking/runtime'
import { WebhookWorkerConfig } from './config.js'
import { buildWebhookWorker } from './webhook-worker.js'

await runMain('webhook-worker', WebhookWorkerConfig, ({ config, log, life, tracing }) =>
  buildWebhookWorker(life, config, log, tracing),
)
