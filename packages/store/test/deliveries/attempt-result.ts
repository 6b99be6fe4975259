import type { AttemptResult } from '../../src/deliveries/finish-attempts.js'
import type { ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'

/** The result of a request that was accepted, or as `over` says. */
export const resultOf = (
  delivery: Pick<ClaimedDelivery, 'attemptId' | 'id' | 'webhookId' | 'messageId' | 'attempt'>,
  over: Partial<AttemptResult> = {},
): AttemptResult => ({
  attemptId: delivery.attemptId,
  deliveryId: delivery.id,
  webhookId: delivery.webhookId,
  messageId: delivery.messageId,
  attempt: delivery.attempt,
  outcome: 'accepted',
  next: 'delivered',
  retryInMs: 0,
  durationMs: 20,
  statusCode: 200,
  error: null,
  responseHeaders: null,
  responseBody: null,
  ...over,
})
