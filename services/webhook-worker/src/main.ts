import { runMain } from '@payment-tracking/runtime'
import { WebhookWorkerConfig } from './config.js'
import { buildWebhookWorker } from './webhook-worker.js'

await runMain('webhook-worker', WebhookWorkerConfig, ({ config, log, context, tracing }) =>
  buildWebhookWorker(context, config, log, tracing),
)
