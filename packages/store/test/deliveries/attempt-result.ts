import type { AttemptResult } from '../../src/deliveries/finish-attempts.js'
import type { ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'

/** The result of a request that was accepted, or as `over` says. */
export const resultOf = (
  delivery: Pick<ClaimedDelivery, 'id' | 'webhookId' | 'messageId' | 'attempt' | 'startedAt'>,
  over: Partial<AttemptResult> = {},
): AttemptResult => ({
  deliveryId: delivery.id,
  webhookId: delivery.webhookId,
  messageId: delivery.messageId,
  attempt: delivery.attempt,
  startedAt: delivery.startedAt,
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
