export { chooseProbe } from './choose-probe.js'
export * from './claim-deliveries.js'
export * from './deactivate-webhooks.js'
export * from './delivery-records.js'
export * from './finish-attempts.js'
export * from './gateway-settings.js'
export * from './hold-deliveries.js'
export { findLiveDeliveries } from './find-live-deliveries.js'
export { putBackDeliveries, type PutBack } from './put-back-deliveries.js'
export { insertDeliveries } from './tell.js'
export * from './oldest-waits.js'
export { readWaits, type Waits } from './read-waits.js'
export { wakeNextInOrder } from './ordered-deliveries.js'
export * from './read-gateway-state.js'
export { recoverFailed, type Recovery } from './recover.js'
export * from './redeliver.js'
export { RedeliveryQuotaError, requireRedeliveryQuota } from './redelivery-quota.js'
export * from './remove-old-deliveries.js'
export {
  beginReplay,
  readReplay,
  REPLAYED_DAYS,
  REPLAYED_TYPES,
  ReplayUnderWayError,
  type ReplayProgress,
} from './replay-missing.js'
export * from './sweep-deliveries.js'
export * from './tell-failing-webhooks.js'
export * from './update-webhook.js'
export { readWebhookHours, type AnsweredRequests } from './webhook-hours.js'
export * from './webhook-records.js'
export * from './webhook-secrets.js'
export * from './work.js'
export * from './work-progress.js'
export { tellRisks, type RiskRound } from './tell-risks.js'
export { tellDuePolicies, type DueRound, type KnownAsks } from './tell-due-policies.js'
