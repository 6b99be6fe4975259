// How a payment travels through Redis: as the Socket.IO packet's finished WebSocket frame, with what a pod
// must know beside it in a small head. It is the `parser` of the adapter and the emitter, the place both
// offer for a format of one's own. With it a pod neither decodes nor encodes a payment: it looks up the room
// and writes the bytes, which is what keeps rooms of one subscriber cheap.
//
//   0xc1 (no MessagePack or JSON value starts so), version,
//   seq f64, committed at (ms) f64, recipient length u8, recipient, WebSocket frame
//
// Everything else the adapter sends (requests between pods) is JSON.
import type { PaymentMessage } from '@payment-tracking/contracts'

const MARK = 0xc1
const VERSION = 1
const FIXED_HEAD = 2 + 8 + 8 + 1

/** Engine.IO "message" + Socket.IO "event" on the main namespace. */
const PACKET_PREFIX = '42'

export interface PaymentFrame {
  seq: number
  committedAtMs: number
  /** null when it was not known at the time of telling */
  recipient: string | null
  /** a whole unmasked WebSocket text frame, as a server sends it; a copy that may be kept */
  wsFrame: Buffer
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

function encodePayment(message: PaymentMessage, committedAtMs: number): Buffer {
  const recipient = message.data.recipient ?? ''
  const recipientSize = Buffer.byteLength(recipient)
  const frame = frameOfPayment(message)
  const bytes = Buffer.allocUnsafe(FIXED_HEAD + recipientSize + frame.length)
  bytes[0] = MARK
  bytes[1] = VERSION
  bytes.writeDoubleBE(message.data.seq, 2)
  bytes.writeDoubleBE(committedAtMs, 10)
  bytes[18] = recipientSize
  bytes.write(recipient, FIXED_HEAD)
  frame.copy(bytes, FIXED_HEAD + recipientSize)
  return bytes
}

export const isPaymentFrame = (bytes: Buffer): boolean => bytes[0] === MARK

/**
 * @returns null when the bytes are no payment of this version; the pods' healing brings what another
 *   version announced during a deploy
 */
export function decodePayment(bytes: Buffer): PaymentFrame | null {
  if (!isPaymentFrame(bytes) || bytes[1] !== VERSION) return null
  const recipientEnd = FIXED_HEAD + bytes[18]!
  return {
    seq: bytes.readDoubleBE(2),
    committedAtMs: bytes.readDoubleBE(10),
    recipient: recipientEnd === FIXED_HEAD ? null : bytes.toString('latin1', FIXED_HEAD, recipientEnd),
    // A copy: the bytes are part of a large read buffer, which a queued slice would keep alive.
    wsFrame: Buffer.from(bytes.subarray(recipientEnd)),
  }
}

/** What the emitter hands its parser: `data` holds the event's name and its arguments. */
type Emitted = [uid: string, packet: { data: unknown[] }, options: unknown]

/** The second argument of `emit('payment', message, …)`: for the head alone, clients never see it. */
export interface PaymentHead {
  committedAtMs: number
}

/** For the emitter and the adapter alike. */
export const paymentParser = {
  encode(value: unknown): Buffer {
    if (Array.isArray(value)) {
      const [, packet] = value as Emitted
      const [event, message, head] = packet?.data ?? []
      if (event === 'payment' && head !== undefined) {
        return encodePayment(message as PaymentMessage, (head as PaymentHead).committedAtMs)
      }
    }
    return Buffer.from(JSON.stringify(value))
  },
  decode: (bytes: Buffer): unknown => JSON.parse(bytes.toString()),
}
