// How payments travel through Redis: each as the Socket.IO packet's finished WebSocket frame, with what a pod
// must know beside it in a small head; several in one message. It is the `parser` of the adapter and the
// emitter, the place both offer for a format of one's own. With it a pod neither decodes nor encodes a payment:
// it looks up the room and writes the bytes, which is what keeps rooms of one subscriber cheap.
//
//   message: 0xc1 (no MessagePack or JSON value starts so), version, epoch, payments
//   epoch:   like a payment without tracking ID and frame, with the epoch in place of the recipient
//   payment: size of the rest u32, seq f64, committed at (ms) f64, size of tracking ID u8, size of recipient
//            u8, tracking ID, recipient, WebSocket frame
//
// Everything else the adapter sends (requests between pods) is JSON.
import type { PaymentMessage, RetractionMessage } from '@payment-tracking/contracts'

const MARK = 0xc1
const VERSION = 1
const MESSAGE_HEAD = 2
const PAYMENT_HEAD = 4 + 8 + 8 + 1 + 1

/** Engine.IO "message" + Socket.IO "event" on the main namespace. */
const PACKET_PREFIX = '42'

/**
 * The `seq` of a retraction's frame: it has no number among the payments of its tracking ID.
 */
export const NO_SEQ = 0

export interface PaymentFrame {
  /** `NO_SEQ` for a retraction */
  readonly seq: number
  readonly committedAtMs: number
  /** null when it was not known at the time of telling */
  readonly recipient: string | null
  /**
   * a whole unmasked WebSocket text frame, as a server sends it; part of a larger read buffer, so copy what is
   * kept for long
   */
  readonly wsFrame: Buffer
}

/** One payment of a message: a view of its bytes. A class, so that making one costs no accessor of its own. */
class ReceivedPayment implements PaymentFrame {
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly recipientStart: number,
    private readonly frameStart: number,
    private readonly end: number,
  ) {}

  get seq(): number {
    return this.bytes.readDoubleBE(this.start + 4)
  }

  /** Asked for once a millisecond. */
  get committedAtMs(): number {
    return this.bytes.readDoubleBE(this.start + 12)
  }

  /** Few subscribers ask for it: it is read when they do. */
  get recipient(): string | null {
    const { bytes, recipientStart, frameStart } = this
    return frameStart === recipientStart ? null : bytes.toString('latin1', recipientStart, frameStart)
  }

  get wsFrame(): Buffer {
    return this.bytes.subarray(this.frameStart, this.end)
  }
}

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

/** The frame of one `payment` event, as every subscriber receives it. */
export const frameOfPayment = (message: PaymentMessage): Buffer =>
  frameText(`${PACKET_PREFIX}${JSON.stringify(['payment', message])}`)

/** The frame of one `retraction` event, as every subscriber receives it. */
export const frameOfRetraction = (message: RetractionMessage): Buffer =>
  frameText(`${PACKET_PREFIX}${JSON.stringify(['retraction', message])}`)

/** The frame of one `lifecycle` event. @param message JSON text */
export const frameOfLifecycle = (message: string): Buffer =>
  frameText(`${PACKET_PREFIX}["lifecycle",${message}]`)

/** The text of a frame that `frameText` made. */
function textOf(wsFrame: Buffer): string {
  const size = wsFrame[1]!
  return wsFrame.toString('utf8', size < 126 ? 2 : size === 126 ? 4 : 10)
}

/** The event of a retraction's frame. */
export function eventIdOfRetraction(wsFrame: Buffer): string {
  const [, message] = JSON.parse(textOf(wsFrame).slice(PACKET_PREFIX.length)) as [string, RetractionMessage]
  return message.data.eventId
}

function encodeMessage({ message, recipient: known }: AnnouncedMessage, committedAtMs: number): Buffer {
  const { trackingId } = message.data
  const isPayment = message.type === 'payment_notification'
  const seq = isPayment ? message.data.seq : NO_SEQ
  const recipient = known ?? ''
  const frame = isPayment ? frameOfPayment(message) : frameOfRetraction(message)
  const trackingIdSize = Buffer.byteLength(trackingId)
  const recipientSize = Buffer.byteLength(recipient)
  const size = PAYMENT_HEAD + trackingIdSize + recipientSize + frame.length
  const bytes = Buffer.allocUnsafe(size)
  bytes.writeUInt32BE(size - 4, 0)
  bytes.writeDoubleBE(seq, 4)
  bytes.writeDoubleBE(committedAtMs, 12)
  bytes[20] = trackingIdSize
  bytes[21] = recipientSize
  bytes.write(trackingId, PAYMENT_HEAD)
  bytes.write(recipient, PAYMENT_HEAD + trackingIdSize)
  frame.copy(bytes, size - frame.length)
  return bytes
}

export const isPaymentMessage = (bytes: Buffer): boolean => bytes[0] === MARK

function encodeEpoch(epoch: string): Buffer {
  const bytes = Buffer.alloc(PAYMENT_HEAD + epoch.length)
  bytes.writeUInt32BE(bytes.length - 4, 0)
  bytes[21] = epoch.length
  bytes.write(epoch, PAYMENT_HEAD, 'latin1')
  return bytes
}

/** Who reads the payments of a message. */
export interface PaymentReader<R> {
  /**
   * Whether payments of this epoch may be sent here, asked once a message. A `seq` of another epoch may name another
   * payment.
   */
  accepts: (epoch: string) => boolean
  /** the room of a tracking ID, asked before anything else of the payment is read */
  findRoom: (trackingId: string) => R | undefined
  /** gets each payment of a room that was found */
  onPayment: (room: R, payment: PaymentFrame) => void
}

/**
 * Reads the payments of a message that somebody here waits for. A message of another version holds none: the
 * pods' healing brings what another version announced during a deploy.
 */
export function readPayments<R>(bytes: Buffer, { accepts, findRoom, onPayment }: PaymentReader<R>): void {
  if (bytes[1] !== VERSION) return
  for (let at = MESSAGE_HEAD; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (bytes[at + 20] === 0) {
      if (!accepts(bytes.toString('latin1', at + PAYMENT_HEAD, end))) return
      at = end
      continue
    }
    const recipientStart = at + PAYMENT_HEAD + bytes[at + 20]!
    const room = findRoom(bytes.toString('utf8', at + PAYMENT_HEAD, recipientStart))
    if (room !== undefined) {
      const frameStart = recipientStart + bytes[at + 21]!
      onPayment(room, new ReceivedPayment(bytes, at, recipientStart, frameStart, end))
    }
    at = end
  }
}

/** What one room is told. */
export interface AnnouncedMessage {
  message: PaymentMessage | RetractionMessage
  /** who is paid: only those who wait for this recipient, or for any, are told */
  recipient: string | null
}

/** What the emitter is given for one event of several payments. */
export interface AnnouncedPayments {
  messages: readonly AnnouncedMessage[]
  committedAtMs: number
  epoch: string
}

/** What the emitter hands its parser: `data` holds the event's name and its arguments. */
type Emitted = [uid: string, packet: { data: unknown[] }, options: unknown]

/** For the emitter and the adapter alike. */
export const paymentParser = {
  encode(value: unknown): Buffer {
    const [event, announced] = (Array.isArray(value) && (value as Emitted)[1]?.data) || []
    if (event !== 'payments') return Buffer.from(JSON.stringify(value))
    const { messages, committedAtMs, epoch } = announced as AnnouncedPayments
    const payments = messages.map(message => encodeMessage(message, committedAtMs))
    return Buffer.concat([Buffer.from([MARK, VERSION]), encodeEpoch(epoch), ...payments])
  },
  decode: (bytes: Buffer): unknown => JSON.parse(bytes.toString()),
}
