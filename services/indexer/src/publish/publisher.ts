import type { Bus } from '@payment-tracking/bus'
import { buildEventMessage, buildGapMessage, type Commitment } from '@payment-tracking/chain'
import { subjectOf } from '@payment-tracking/contracts'
import type { FetchedTransaction } from '../nodes/fetch-transaction.js'

/** The identity of a gap message, instead of an index. */
export interface GapRange {
  signature?: string
  fromSlot: number
  toSlot: number
}

/** A message that is built and not sent yet. */
interface Outgoing {
  subject: string
  body: string
  id: string
}

/**
 * Publishes messages in the given order and awaits their acknowledgements. One connection carries all messages, so the
 * stream stores them in this order. After a failure all messages are sent again, and the stream drops stored messages
 * by their ids.
 */
export class Publisher {
  /** the sequence of the last acknowledged message */
  lastSequence = 0

  constructor(
    private readonly bus: Bus,
    private readonly settings: { subjectPrefix: string; programId: string },
    private readonly metrics: { published: (count: number) => void; gap: (reason: string) => void },
    /** aborted when this process must stop publishing */
    private readonly signal: AbortSignal,
  ) {}

  /** Publishes the events and the gap of transactions; resolves when the stream has stored them all. */
  async publish(transactions: readonly FetchedTransaction[], commitment: Commitment): Promise<void> {
    const { subjectPrefix, programId } = this.settings
    const messages = transactions.flatMap(({ transaction, events, gaps }) => [
      ...events.map(event => ({
        subject: subjectOf(subjectPrefix, event.name),
        body: buildEventMessage(transaction, event, programId, commitment),
        id: `${transaction.slot}:${transaction.signature}:${event.index}`,
      })),
      ...(gaps.length > 0 ? [this.#gap(buildGapMessage(transaction, gaps))] : []),
    ])
    await this.#send(messages)
    this.metrics.published(messages.length)
    for (const { gaps } of transactions) for (const { reason } of gaps) this.metrics.gap(reason)
  }

  /** @param body a gap message */
  #gap(body: string): Outgoing {
    return { subject: `${this.settings.subjectPrefix}.control.gap`, body, id: `gap:${body.slice(0, 200)}` }
  }

  /** Reports a range of slots with missing data. */
  async publishGap(fromSlot: number, toSlot: number, reason: string): Promise<void> {
    await this.#send([this.#gap(JSON.stringify({ fromSlot, toSlot, reason }))])
    this.metrics.gap('COUNTER')
  }

  /** Closes a gap whose data were read later. */
  async closeGap({ signature, fromSlot, toSlot }: GapRange): Promise<void> {
    const range = { ...(signature !== undefined && { signature }), fromSlot, toSlot }
    const body = JSON.stringify({ ...range, reason: 'read since', closed: true })
    await this.#send([{ ...this.#gap(body), id: `closed:${fromSlot}:${toSlot}:${signature ?? ''}` }])
  }

  /** Reports that a confirmed transaction is not part of the finalized chain. */
  async retract(signature: string, slot: number): Promise<void> {
    const body = JSON.stringify({ signature, slot })
    const subject = `${this.settings.subjectPrefix}.control.retracted`
    await this.#send([{ subject, body, id: `retracted:${slot}:${signature}` }])
  }

  /** Reports that every event of slots up to this slot is final. */
  async publishFinalized(slot: number): Promise<void> {
    const subject = `${this.settings.subjectPrefix}.control.finalized`
    await this.#send([{ subject, body: JSON.stringify({ slot }), id: `finalized:${slot}` }])
  }

  async #send(messages: readonly Outgoing[]): Promise<void> {
    for (let at = 0; at < messages.length; at += WINDOW) {
      this.signal.throwIfAborted()
      const window = messages.slice(at, at + WINDOW)
      const sequences = await this.bus.publishAll(
        window.map(({ subject, body, id }) => ({ subject, bytes: Buffer.from(body), id })),
      )
      this.lastSequence = Math.max(this.lastSequence, ...sequences)
    }
  }
}

/** The most messages without acknowledgement. */
const WINDOW = 500
