export {
  API_KEY_SCOPES,
  API_KEYS_PER_GATEWAY,
  type ApiKeyRecord,
  type ApiKeyScope,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from './api-keys/api-key-records.js'
export { findApiKey, noteApiKeyUse, whyNoApiKey } from './api-keys/find-api-key.js'
export { type ChangeRecord, listChanges } from './changes/list-changes.js'
export { nameCustomer } from './customers/name-customer.js'
export { cancelExpectation, ExpectationCountingError } from './expectations/cancel-expectation.js'
export {
  createExpectation,
  ExpectationExistsError,
  type NewExpectation,
  OPEN_EXPECTATIONS,
} from './expectations/create-expectation.js'
export {
  countDeadLetters,
  type DeadLetterBytes,
  type DeadLetterRow,
  findDeadLetterIds,
  listDeadLetters,
  markReplayed,
  readDeadLetters,
} from './ops/dead-letters.js'
export { type EndedSession, endSession, listEndedSessions } from './ops/ended-sessions.js'
export {
  countDeliveries,
  type FailedDelivery,
  type FailedDeliveryFilter,
  findDelivery,
  findRedeliverable,
  listFailedDeliveries,
} from './ops/failed-deliveries.js'
export { type FailingWebhook, listFailingWebhooks } from './ops/failing-webhooks.js'
export { countGaps, type GapRow, listGaps } from './ops/gaps.js'
export {
  countWebhookWork,
  listTasks,
  listWebhookWork,
  type TaskProgress,
  type WebhookWorkProgress,
} from './ops/work-progress.js'
export {
  createGatewaySession,
  endGatewaySession,
  findSignInLink,
  openSignInLink,
  type SessionGrant,
  SIGN_INS,
  type SignIn,
} from './sessions/create-gateway-session.js'
export {
  endGatewaySessions,
  findGatewaySession,
  type FoundGatewaySession,
  type GatewaySessionRecord,
  listGatewaySessions,
  noteGatewaySessionUse,
  readGatewayState,
} from './sessions/use-gateway-session.js'
export {
  type AttemptRecord,
  type DeliveryRecord,
  getDelivery,
  listDeliveries,
  listGatewayDeliveries,
  searchDeliveries,
} from './webhooks/delivery-records.js'
export { askFeedForDates, readGatewaySettings, writeGatewaySettings } from './webhooks/gateway-settings.js'
export { type LastAnswer, readHealth, type WebhookHealth } from './webhooks/read-health.js'
export { readWaits, type Waits } from './webhooks/read-waits.js'
export { updateWebhook } from './webhooks/update-webhook.js'
export {
  createWebhook,
  deleteWebhooks,
  getWebhook,
  listWebhooks,
  type WebhookChoices,
  type WebhookRecord,
} from './webhooks/webhook-records.js'
export {
  getWebhookSecret,
  readAttemptSecrets,
  rotateWebhookSecret,
  type WebhookSecrets,
} from './webhooks/webhook-secrets.js'
