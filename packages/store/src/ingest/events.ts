import { sql } from '../database/sql.js'
import type { ChainEvent } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { NumberedEvent } from './number.js'

/** A checked message with its place in the stream. */
export interface ReceivedEvent {
  event: ChainEvent
  streamSequence: number
}

/** An event that is not stored yet. */
export interface NewEvent extends ReceivedEvent {
  /** its transaction was retracted before its arrival: the event is stored, and counts nowhere */
  retracted: boolean
}

/**
 * Sends events that are known to be new (the writer lock is held). One statement for any number of events. `data` is
 * most of the statement and full of quotes, which a list would escape. Each JSON value has one line, so line breaks
 * separate the values.
 */
export function insertEvents(tx: PipelinedTx, events: readonly NumberedEvent[]): void {
  const column = <T>(pick: (event: ChainEvent) => T): T[] => events.map(({ event }) => pick(event))
  const payment = <T>(
    pick: (effect: Extract<ChainEvent['effect'], { kind: 'payment' }>) => T,
  ): (T | null)[] => column(({ effect }) => (effect.kind === 'payment' ? pick(effect) : null))
  tx.send(sql`
    insert into events (
      id, position, slot, signature, event_index, name, data, occurred_at, fingerprint, stream_sequence,
      gateway, payment_policy, user_payment, authority, recipient, tracking_id,
      seq, amount, paid_at, record_id, payer, token_mint, transaction_index, commitment, awaits_policy, retracted_at)
    select id, position, slot, signature, event_index, name, data, occurred_at, fingerprint, stream_sequence,
           gateway, payment_policy, user_payment, authority, recipient, tracking_id,
           seq, amount, paid_at, record_id, payer, token_mint, transaction_index, commitment, awaits_policy,
           case when retracted then clock_timestamp() end
      from unnest(
      ${column(event => event.id)}::uuid[],
      ${events.map(({ position }) => position)}::bigint[],
      ${column(event => event.slot)}::bigint[],
      ${column(event => event.signature)}::text[],
      ${column(event => event.index)}::bigint[],
      ${column(event => event.name)}::text[],
      string_to_array(${column(event => event.data).join('\n')}, E'\\n')::json[],
      ${column(event => event.occurredAt)}::timestamptz[],
      ${column(event => event.fingerprint)}::uuid[],
      ${events.map(({ streamSequence }) => streamSequence)}::bigint[],
      ${column(event => event.gateway)}::text[],
      ${column(event => event.paymentPolicy)}::text[],
      ${column(event => event.userPayment)}::text[],
      ${column(event => event.authority)}::text[],
      ${events.map(({ event, facts }) => (facts ? facts.recipient : event.recipient))}::text[],
      ${column(event => event.trackingId)}::text[],
      ${events.map(({ seq }) => seq)}::bigint[],
      ${payment(({ amount }) => amount)}::numeric[],
      ${payment(({ paidAt }) => paidAt)}::bigint[],
      ${payment(({ recordId }) => recordId)}::bigint[],
      ${events.map(({ facts }) => facts?.payer ?? null)}::text[],
      ${events.map(tokenMintOf)}::text[],
      ${column(event => event.transactionIndex)}::bigint[],
      ${column(event => event.commitment)}::text[],
      ${events.map(({ awaitsPolicy }) => awaitsPolicy)}::boolean[],
      ${events.map(({ retracted }) => retracted)}::boolean[]) as e (
      id, position, slot, signature, event_index, name, data, occurred_at, fingerprint, stream_sequence,
      gateway, payment_policy, user_payment, authority, recipient, tracking_id,
      seq, amount, paid_at, record_id, payer, token_mint, transaction_index, commitment, awaits_policy, retracted)`)
}

/** What a payment was paid in, and what a composable policy pays in. */
const tokenMintOf = ({ event: { effect }, facts }: NumberedEvent): string | null =>
  effect.kind === 'policy-created' ? effect.tokenMint : (facts?.tokenMint ?? null)
