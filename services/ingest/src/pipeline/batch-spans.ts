import type { ReceivedBusMessage } from '@payment-tracking/bus'
import type { Span, Tracing } from '@payment-tracking/runtime'
import type { ReceivedMessage } from '@payment-tracking/store/ingest'

/** The spans of a batch's events. */
export interface BatchSpans {
  /** the `traceparent` of each event, stored with its deliveries; by event id */
  readonly traceParents: ReadonlyMap<string, string>
  /** @param failure why the stream must deliver the batch again */
  end(failure?: string): void
}

/** Continues the trace of each message, or starts one. */
export function startBatchSpans(
  tracing: Tracing,
  messages: readonly ReceivedBusMessage[],
  received: readonly ReceivedMessage[],
): BatchSpans {
  const startedAt = new Date()
  const bySequence = new Map(messages.map(message => [message.streamSequence, message]))
  const traceParents = new Map<string, string>()
  const spans: Span[] = []
  for (const { event, streamSequence } of received) {
    const span = tracing.startSpan('event.ingest', {
      kind: 'consumer',
      parent: bySequence.get(streamSequence)?.traceParent,
      startedAt,
      attributes: {
        'messaging.system': 'nats',
        'payment_tracking.event_id': event.id,
        'payment_tracking.stream_sequence': streamSequence,
      },
    })
    spans.push(span)
    // Two messages may hold one event; ingest stores the first.
    if (!traceParents.has(event.id)) traceParents.set(event.id, span.traceParent)
  }
  return { traceParents, end: failure => spans.forEach(span => span.end(undefined, failure)) }
}
