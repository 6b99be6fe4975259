import type { JsMsg } from 'nats'

export interface ReceivedBusMessage {
  readonly subject: string
  readonly bytes: Uint8Array
  /** its sequence in the stream */
  readonly streamSequence: number
  /** how often the server has delivered it, this time included */
  readonly deliveries: number
  /** when the stream stored it */
  readonly storedAt?: Date
  /** its header, when the consumer was asked to read it */
  readonly traceParent?: string
}

/** A microsecond less or more does not matter, so a double holds it. */
export const storedAt = ({ info }: JsMsg): Date => new Date(info.timestampNanos / 1e6)

export const describe = (message: JsMsg): ReceivedBusMessage => ({
  subject: message.subject,
  bytes: message.data,
  streamSequence: message.seq,
  deliveries: message.info.redeliveryCount,
  storedAt: storedAt(message),
})

/** The same with the header `traceparent`. */
export const describeTraced = (message: JsMsg): ReceivedBusMessage => {
  const traceParent = message.headers?.get('traceparent')
  return traceParent ? { ...describe(message), traceParent } : describe(message)
}
