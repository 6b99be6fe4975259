import type { ReceivedBusMessage } from '@payment-tracking/bus'
import type { Trace, Tracing } from '@payment-tracking/runtime'
import type { ReceivedMessage } from '@payment-tracking/store'

/** The steps of a batch's events in their traces. */
export interface BatchTrace {
  /** by event, to be kept with its deliveries */
  readonly parents: ReadonlyMap<string, string>
  /** @param failure why the batch must come again */
  end(failure?: string): void
}

/** Continues the trace each message came with, or begins one. */
export function traceBatch(
  tracing: Tracing,
  messages: readonly ReceivedBusMessage[],
  received: readonly ReceivedMessage[],
): BatchTrace {
  const startedAt = new Date()
  const bySequence = new Map(messages.map(message => [message.streamSequence, message]))
  const parents = new Map<string, string>()
  const traces: Trace[] = []
  for (const { event, streamSequence } of received) {
    const trace = tracing.begin('event.ingest', {
      kind: 'consumer',
      parent: bySequence.get(streamSequence)?.traceParent,
      startedAt,
      attributes: {
        'messaging.system': 'nats',
        'payment_tracking.event_id': event.id,
        'payment_tracking.stream_sequence': streamSequence,
      },
    })
    traces.push(trace)
    // Of two messages of one event the first is stored.
    if (!parents.has(event.id)) parents.set(event.id, trace.parent)
  }
  return { parents, end: failure => traces.forEach(trace => trace.end(undefined, failure)) }
}
