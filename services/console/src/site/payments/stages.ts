// The stages of a payment with the time that each took.
import type { Schemas } from '@payment-tracking/client'
import type { Payment } from './use-live-payments.js'

export interface Stage {
  title: string
  isDone: boolean
  /** ISO 8601; null where the stage has no time of its own */
  at: string | null
  /** milliseconds since the stage before it that has a time */
  tookMs: number | null
  text: string
}

export function stagesOf(trace: Schemas['PaymentTrace'], event: Payment | undefined): Stage[] {
  const { chain, stream, stored, announced } = trace
  const took = (from: string | null, to: string | null) =>
    from === null || to === null ? null : Date.parse(to) - Date.parse(from)
  const isRetracted = event?.retracted === true
  const isFinal = event?.finality === 'finalized'
  return [
    {
      title: 'Executed on the chain',
      isDone: true,
      at: chain.timestamp,
      tookMs: null,
      text: `slot ${Number(chain.slot).toLocaleString('en-US')}`,
    },
    {
      title: 'Published on the stream',
      isDone: true,
      at: null,
      tookMs: null,
      text:
        stream.sequence === null
          ? 'sequence unknown'
          : `sequence ${Number(stream.sequence).toLocaleString('en-US')}`,
    },
    {
      title: 'Stored',
      isDone: true,
      at: stored.at,
      tookMs: took(chain.timestamp, stored.at),
      text: stored.seq === null ? 'without a tracking ID' : `number ${String(stored.seq)} of its tracking ID`,
    },
    {
      title: 'Announced to sockets and webhooks',
      isDone: announced.done,
      at: announced.at,
      tookMs: took(stored.at, announced.at),
      text: announced.done ? 'done' : 'still to do',
    },
    {
      title: isRetracted ? 'Retracted by the chain' : 'Finalized by the chain',
      isDone: isRetracted || isFinal,
      at: null,
      tookMs: null,
      text: isRetracted
        ? 'the finalized chain does not hold this transaction'
        : isFinal
          ? 'nobody can take it back'
          : 'a confirmed transaction can still be retracted',
    },
  ]
}
