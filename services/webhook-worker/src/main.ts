import { runMain } from '@payment-tracking/runtime'
import { WebhookWorkerConfig } from './config.js'
import { WORKER_TUNABLES } from './tunables.js'
import { buildWebhookWorker } from './webhook-worker.js'

await runMain(
  'webhook-worker',
  WebhookWorkerConfig,
  ({ config, log, context, tracing, tunables }) =>
    buildWebhookWorker(context, { config, tunables, log, tracing }),
  WORKER_TUNABLES,
)
