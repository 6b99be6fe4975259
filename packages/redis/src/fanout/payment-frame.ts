// How payments, retractions and life-cycle events travel through Redis: each as the Socket.IO packet's finished
// WebSocket frame (socket-frame.ts), with what a pod must know beside it in a small head; several in one message. It is
// the `parser` of the adapter and the emitter, the place both offer for a format of one's own. With it a pod neither
// decodes nor encodes a payment: it looks up the room and writes the bytes, which is what keeps rooms of one subscriber
// cheap.
//
//   message: 0xc1 (no MessagePack or JSON value starts so), kind, epoch, payments
//   kind:    1: payments and retractions. 2: life-cycle events, written like payments. A pod ignores a kind that it does
//            not know. 3: expected payments, with the expectation's id as recipient and the number of its change as seq
//   epoch:   like a payment without tracking ID and frame, with the epoch in place of the recipient
//   payment: size of the rest u32, seq f64, committed at (ms) f64, size of tracking ID u8, size of recipient
//            u8, tracking ID, recipient, WebSocket frame
//
// Everything else the adapter sends (requests between pods) is JSON.

const MARK = 0xc1
const KINDS = { payments: 1, lifecycles: 2, expectations: 3 } as const
const MESSAGE_HEAD = 2
const PAYMENT_HEAD = 4 + 8 + 8 + 1 + 1

/** The `seq` of a frame that is no payment: it has no number among the payments of its tracking ID. */
export const NO_SEQ = 0

export interface PaymentFrame {
  /** `NO_SEQ` for a retraction and for a life-cycle event */
  readonly seq: number
  readonly committedAtMs: number
  /** null when it was not known when it was announced */
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

/** One event of a room on its way to the pods. */
export interface AnnouncedFrame {
  trackingId: string
  /** `NO_SEQ` for a retraction and for a life-cycle event */
  seq: number
  /** who is paid, null while not known: only those who wait for this recipient, or for any, are notified */
  recipient: string | null
  wsFrame: Buffer
}

function encodeFrame({ trackingId, seq, recipient, wsFrame }: AnnouncedFrame, committedAtMs: number): Buffer {
  const trackingIdSize = Buffer.byteLength(trackingId)
  const recipientSize = Buffer.byteLength(recipient ?? '')
  const size = PAYMENT_HEAD + trackingIdSize + recipientSize + wsFrame.length
  const bytes = Buffer.allocUnsafe(size)
  bytes.writeUInt32BE(size - 4, 0)
  bytes.writeDoubleBE(seq, 4)
  bytes.writeDoubleBE(committedAtMs, 12)
  bytes[20] = trackingIdSize
  bytes[21] = recipientSize
  bytes.write(trackingId, PAYMENT_HEAD)
  bytes.write(recipient ?? '', PAYMENT_HEAD + trackingIdSize)
  wsFrame.copy(bytes, size - wsFrame.length)
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
  /** gets each payment and each retraction of a room that was found */
  onPayment: (room: R, payment: PaymentFrame) => void
  /** gets each life-cycle event of a room that was found */
  onLifecycle: (room: R, lifecycle: PaymentFrame) => void
  /** gets each change of an expected payment of a room that was found */
  onExpectation: (room: R, expectation: PaymentFrame) => void
}

/**
 * Reads the events of a message that somebody here waits for. A message of another kind holds none: the pods' healing
 * brings what another release announced during a deploy.
 */
export function readPayments<R>(bytes: Buffer, reader: PaymentReader<R>): void {
  const { accepts, findRoom } = reader
  const receive = receiverOf(bytes[1], reader)
  if (receive === undefined) return
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
      const received = new ReceivedPayment(bytes, at, recipientStart, frameStart, end)
      receive(room, received)
    }
    at = end
  }
}

function receiverOf<R>(
  kind: number | undefined,
  reader: PaymentReader<R>,
): PaymentReader<R>['onPayment'] | undefined {
  if (kind === KINDS.payments) return reader.onPayment
  if (kind === KINDS.lifecycles) return reader.onLifecycle
  return kind === KINDS.expectations ? reader.onExpectation : undefined
}

/** What the emitter is given for one event of several frames. */
export interface AnnouncedFrames {
  frames: readonly AnnouncedFrame[]
  committedAtMs: number
  epoch: string
}

/** What the emitter hands its parser: `data` holds the event's name and its arguments. */
type Emitted = [uid: string, packet: { data: unknown[] }, options: unknown]

const isKind = (event: unknown): event is keyof typeof KINDS =>
  typeof event === 'string' && Object.hasOwn(KINDS, event)

/** For the emitter and the adapter alike. */
export const paymentParser = {
  encode(value: unknown): Buffer {
    const [event, announced] = (Array.isArray(value) && (value as Emitted)[1]?.data) || []
    if (!isKind(event)) return Buffer.from(JSON.stringify(value))
    const { frames, committedAtMs, epoch } = announced as AnnouncedFrames
    return Buffer.concat([
      Buffer.from([MARK, KINDS[event]]),
      encodeEpoch(epoch),
      ...frames.map(frame => encodeFrame(frame, committedAtMs)),
    ])
  },
  decode: (bytes: Buffer): unknown => JSON.parse(bytes.toString()),
}
