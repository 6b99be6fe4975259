import type { Tracing } from '@payment-tracking/runtime'
import type { ClaimedDelivery } from '@payment-tracking/store/deliveries'
import type { Answer } from './send-delivery.js'

type Send = (delivery: ClaimedDelivery, mayBegin: () => boolean, traceParent?: string) => Promise<Answer>

/** Records each attempt as a span of its payment's trace. */
export function traced(tracing: Tracing | undefined, send: Send): Send {
  if (!tracing) return send
  return async (delivery, mayBegin) => {
    const span = tracing.startSpan('webhook.attempt', {
      kind: 'client',
      parent: delivery.traceParent,
      attributes: {
        'payment_tracking.delivery_id': delivery.id.toString(),
        'payment_tracking.webhook_id': delivery.webhookId.toString(),
        'payment_tracking.attempt': delivery.attempt,
        'http.request.method': 'POST',
      },
    })
    const answer = await send(delivery, mayBegin, span.traceParent)
    // A request that did not begin is no attempt: its span is not recorded.
    if (answer.error === 'late') return answer
    const failure = answer.outcome === 'accepted' ? undefined : (answer.error ?? answer.outcome)
    span.end({ 'http.response.status_code': answer.statusCode }, failure)
    return answer
  }
}
