import type { Tracing } from '@payment-tracking/runtime'
import type { ClaimedDelivery } from '@payment-tracking/store'
import type { Answer } from './send-delivery.js'

type Send = (delivery: ClaimedDelivery, traceParent?: string) => Promise<Answer>

/** Makes each attempt a step of the trace that its payment came with. */
export function traced(tracing: Tracing | undefined, send: Send): (d: ClaimedDelivery) => Promise<Answer> {
  if (!tracing) return delivery => send(delivery)
  return async delivery => {
    const trace = tracing.begin('webhook.attempt', {
      kind: 'client',
      parent: delivery.traceParent,
      attributes: {
        'payment_tracking.delivery_id': delivery.id.toString(),
        'payment_tracking.webhook_id': delivery.webhookId.toString(),
        'payment_tracking.attempt': delivery.attempt,
        'http.request.method': 'POST',
      },
    })
    const answer = await send(delivery, trace.parent)
    const failure = answer.outcome === 'accepted' ? undefined : (answer.error ?? answer.outcome)
    trace.end({ 'http.response.status_code': answer.statusCode }, failure)
    return answer
  }
}
