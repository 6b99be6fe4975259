export { type Claim, claimDeliveries, type ClaimedDelivery } from './claim-deliveries.js'
export {
  deactivateWebhooks,
  findWebhooksOfDeletedGateways,
  noteWebhookHealth,
} from './deactivate-webhooks.js'
export { findCurrentClaims } from './find-current-claims.js'
export { type AttemptResult, deliveryKey, finishAttempts, type FinishedAttempt } from './finish-attempts.js'
export { type Deferral, deferDeliveries } from './defer-deliveries.js'
export { makeNextDue } from './ordered-deliveries.js'
export { type PutBack, putBackDeliveries } from './put-back-deliveries.js'
export { type EndpointRate, readEndpointRates } from './read-endpoint-rates.js'
export { recallDeferred } from './recall-deferred.js'
export { recoverFailed } from './recover.js'
export { removeOldDeliveries } from './remove-old-deliveries.js'
export {
  beginRedelivery,
  insertMessage,
  redeliverByIds,
  redeliverOne,
  RedeliveryQuotaError,
  requireRedeliveryQuota,
} from './replay/redeliver.js'
export {
  beginReplay,
  readReplay,
  REPLAYED_DAYS,
  REPLAYED_TYPES,
  type ReplayProgress,
} from './replay/replay-missing.js'
export { sweepDeliveries, type SweepKey, unsweepDeliveries } from './sweep-deliveries.js'
export { type AnsweredRequests, readWebhookHours } from './webhook-hours.js'
export { doWebhookWork } from './webhook-work.js'
