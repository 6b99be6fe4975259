import type { JsMsg } from 'nats'

export interface ReceivedBusMessage {
  readonly subject: string
  readonly bytes: Uint8Array
  /** its sequence in the stream */
  readonly streamSequence: number
  /** how often the server has delivered it, this time included */
  readonly deliveries: number
  /** its header, when the consumer was asked to read it */
  readonly traceParent?: string
}

export const describe = (message: JsMsg): ReceivedBusMessage => ({
  subject: message.subject,
  bytes: message.data,
  streamSequence: message.seq,
  deliveries: message.info.redeliveryCount,
})

/** The same with the header `traceparent`. */
export const describeTraced = (message: JsMsg): ReceivedBusMessage => {
  const traceParent = message.headers?.get('traceparent')
  return traceParent ? { ...describe(message), traceParent } : describe(message)
}
