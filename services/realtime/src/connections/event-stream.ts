// One client's stream of server-sent events:
//
//   reading --begin--> live --> closed
//
// A client resumes from the id of the last event that it got, so payments must leave in the order of `seq`. A payment that arrives too
// early waits until those before it were sent. While the history is read, all new events wait.
import type { ServerResponse } from 'node:http'
import type { ResetMessage } from '@payment-tracking/contracts'
import { eventOfFrame } from '@payment-tracking/redis'

export interface EventStreamOptions {
  response: ServerResponse
  /** only payments to this public key; undefined for all */
  recipient: string | undefined
  /** events that may wait for a slow client, or for an earlier payment */
  maxQueued: number
  /** The client is too slow, or silent: it comes back for the rest. */
  onSlow: () => void
}

/** An event of the room that is not sent yet; null stands for a payment to another recipient. */
type Waiting = string | null

/** How long a client waits before it comes back. */
const RETRY_MS = 1_000

export class EventStream {
  readonly #options: EventStreamOptions
  readonly #waiting = new Map<number, Waiting[]>()
  #epoch = ''
  /** the `seq` up to which the client has every payment that it asked for */
  #last = 0
  #isLive = false
  #unsent = 0
  #sent = 0
  #sentAtLastCheck = -1

  constructor(options: EventStreamOptions) {
    this.#options = options
  }

  get readyState(): 'open' | 'closed' {
    const { destroyed, writableEnded } = this.#options.response
    return destroyed || writableEnded ? 'closed' : 'open'
  }

  get #isOpen(): boolean {
    return this.readyState === 'open'
  }

  get hasUnsent(): boolean {
    return this.#unsent > 0
  }

  /** Says which database the ids are of, and from where payments follow. An id without data is no event. */
  start(epoch: string, last: number): void {
    this.#epoch = epoch
    this.#last = last
    this.#write(`retry: ${RETRY_MS}\nid: ${epoch}.${last}\n\n`)
  }

  /** The client's `seq` are of another database: it forgets what it knows, and payments follow from the first. */
  reset(epoch: string, head: number, trackingId: string): void {
    this.#epoch = epoch
    this.#last = 0
    this.#write(`retry: ${RETRY_MS}\n`)
    const message: ResetMessage = {
      type: 'reset',
      data: { trackingId, epoch, head },
      timestamp: Date.now(),
    }
    this.#send('reset', JSON.stringify(message))
  }

  /** Sends what was read. @param last the `seq` that it reaches */
  replay(events: readonly { event: string; message: object; seq: number }[], last: number): void {
    for (const { event, message, seq } of events) {
      this.#last = Math.max(this.#last, seq)
      this.#send(event, JSON.stringify(message))
    }
    if (last <= this.#last) return
    this.#last = last
    this.#write(`id: ${this.#epoch}.${last}\n\n`)
  }

  /** What came until now is part of what is read next. */
  forgetWaiting(): void {
    this.#waiting.clear()
  }

  /** The history was sent: what came meanwhile follows, and then each event as it comes. */
  begin(): void {
    this.#isLive = true
    for (const seq of this.#waiting.keys()) if (seq <= this.#last) this.#waiting.delete(seq)
    this.#advance()
  }

  /** @param wsFrame an event of the room, as sockets get it */
  receive(wsFrame: Buffer, recipient: string | null): void {
    if (!this.#isOpen) return
    const { event, json } = eventOfFrame(wsFrame)
    if (event !== 'payment' && event !== 'retraction') return
    const { seq } = (JSON.parse(json) as { data: { seq: number } }).data
    const wanted = this.#options.recipient
    const text = wanted === undefined || wanted === recipient ? blockOf(event, json) : null
    if (seq <= this.#last) {
      // A payment that came twice; a retraction of a payment that the client has.
      if (event === 'retraction' && text !== null) this.#sendBlock(text)
      return
    }
    const waiting = this.#waiting.get(seq) ?? []
    if (event === 'payment' && waiting.some(block => block === null || block.startsWith(PAYMENT))) return
    // The retraction of a payment that has not come stands for the payment.
    this.#waiting.set(seq, [...waiting, text])
    if (this.#isLive) this.#advance()
    if (this.#waiting.size + this.#unsent > this.#options.maxQueued) this.#options.onSlow()
  }

  /** Sends a comment. A client that took nothing since the last one is given up. */
  keepAlive(): void {
    if (this.#unsent > 0 && this.#sent === this.#sentAtLastCheck) return this.#options.onSlow()
    this.#sentAtLastCheck = this.#sent
    if (this.#epoch !== '') this.#write(': keep-alive\n\n')
  }

  /** Resolves when the client has taken what was sent, or is gone. */
  async drained(): Promise<void> {
    const { response } = this.#options
    if (!this.#isOpen || !response.writableNeedDrain) return
    await new Promise<void>(resolve => {
      response.once('drain', resolve)
      response.once('close', resolve)
    })
  }

  #advance(): void {
    for (let blocks; (blocks = this.#waiting.get(this.#last + 1)) !== undefined;) {
      this.#waiting.delete(++this.#last)
      for (const block of blocks) if (block !== null) this.#sendBlock(block)
    }
  }

  #send(event: string, json: string): void {
    this.#sendBlock(blockOf(event, json))
  }

  #sendBlock(block: string): void {
    this.#write(`id: ${this.#epoch}.${this.#last}\n${block}`)
  }

  #write(text: string): void {
    if (!this.#isOpen) return
    this.#unsent++
    this.#options.response.write(text, () => {
      this.#unsent--
      this.#sent++
    })
  }
}

const PAYMENT = 'event: payment\n'

/** JSON text has no line break of its own. */
const blockOf = (event: string, json: string): string => `event: ${event}\ndata: ${json}\n\n`
