// The events of a tracking ID as every subscriber receives them: finished WebSocket frames.
import type {
  CommittedExpectation,
  CommittedLifecycle,
  LifecycleMessage,
  PaymentMessage,
  RetractionMessage,
} from '@payment-tracking/contracts'

/** Engine.IO "message" + Socket.IO "event" on the main namespace. */
const PACKET_PREFIX = '42'

/** RFC 6455 section 5.2: a final text frame without mask. */
function frameText(text: string): Buffer {
  const size = Buffer.byteLength(text)
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(head + size)
  frame[0] = 0x81
  if (head === 2) frame[1] = size
  else if (head === 4) {
    frame[1] = 126
    frame.writeUInt16BE(size, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(size), 2)
  }
  frame.write(text, head)
  return frame
}

/** The frame of one `payment` event. */
export const frameOfPayment = (message: PaymentMessage): Buffer =>
  frameText(`${PACKET_PREFIX}${JSON.stringify(['payment', message])}`)

/** The frame of one `retraction` event. */
export const frameOfRetraction = (message: RetractionMessage): Buffer =>
  frameText(`${PACKET_PREFIX}${JSON.stringify(['retraction', message])}`)

/**
 * The frame of one `lifecycle` event.
 * @param timestamp the time of sending, in milliseconds
 */
export const frameOfLifecycle = (
  { id, type, data }: Pick<CommittedLifecycle, 'id' | 'type' | 'data'>,
  timestamp: number,
): Buffer =>
  // `data` stays the text that it is: JSON.parse would round its 64-bit integers.
  frameText(
    `${PACKET_PREFIX}["lifecycle",{"id":"${id}","type":"${type}","data":${data},"timestamp":${timestamp}}]`,
  )

/**
 * The frame of one `expectation` event.
 * @param change.data the record as JSON text: JSON.parse would round its 64-bit integers
 * @param timestamp the time of sending, in milliseconds
 */
export const frameOfExpectation = (
  { data, position }: Pick<CommittedExpectation, 'data' | 'position'>,
  timestamp: number,
): Buffer =>
  frameText(
    `${PACKET_PREFIX}["expectation",{"type":"expectation","data":${data},"position":${position},"timestamp":${timestamp}}]`,
  )

/** The name of the event in a frame that `frameText` made, and its message as JSON text. */
export function eventOfFrame(wsFrame: Buffer): { event: string; json: string } {
  const size = wsFrame[1]!
  const text = wsFrame.toString('utf8', size < 126 ? 2 : size === 126 ? 4 : 10)
  const nameEnd = text.indexOf('"', PACKET_PREFIX.length + 2)
  return { event: text.slice(PACKET_PREFIX.length + 2, nameEnd), json: text.slice(nameEnd + 2, -1) }
}

/** The message in a frame that `frameText` made. */
const messageOf = <M>(wsFrame: Buffer): M => JSON.parse(eventOfFrame(wsFrame).json) as M

/** The event of a retraction's frame. */
export const eventIdOfRetraction = (wsFrame: Buffer): string =>
  messageOf<RetractionMessage>(wsFrame).data.eventId

/** Which change of which policy the frame of a `lifecycle` event is of. */
export function changeOfLifecycle(
  wsFrame: Buffer,
): Pick<CommittedLifecycle, 'id' | 'type' | 'paymentPolicy'> {
  const { id, type, data } = messageOf<LifecycleMessage>(wsFrame)
  return { id, type, paymentPolicy: data.paymentPolicy }
}
