import type { ChainEvent } from '@payment-tracking/domain'
import { columnTable, type Columns } from '../../core/database/columns.js'
import { sql } from '../../core/database/sql.js'
import { writeData } from '../../core/tables/payment-data.js'
import type { PipelinedTx } from '../../core/database/pipelined-transactions.js'
import type { NumberedEvent } from './number.js'

const payment =
  <T>(pick: (effect: Extract<ChainEvent['effect'], { kind: 'payment' }>) => T) =>
  ({ event: { effect } }: NumberedEvent): T | null =>
    effect.kind === 'payment' ? pick(effect) : null

/** What a payment was paid in, and what a composable policy pays in. */
const tokenMintOf = ({ event: { effect }, details }: NumberedEvent): string | null =>
  effect.kind === 'policy-created' ? effect.tokenMint : (details?.tokenMint ?? null)

type WrittenEvent = NumberedEvent & ReturnType<typeof writeData>

const EVENT_COLUMNS: Columns<WrittenEvent> = {
  id: ['uuid', ({ event }) => event.id],
  position: ['bigint', ({ position }) => position],
  slot: ['bigint', ({ event }) => event.slot],
  signature: ['text', ({ event }) => event.signature],
  event_index: ['bigint', ({ event }) => event.index],
  name: ['text', ({ event }) => event.name],
  // Most of a batch's bytes. Each JSON value has one line.
  data: ['json', ({ data }) => data, 'lines'],
  memo_zeros: ['smallint', ({ memoZeros }) => memoZeros],
  occurred_at: ['timestamptz', ({ event }) => event.occurredAt],
  fingerprint: ['uuid', ({ event }) => event.fingerprint],
  stream_sequence: ['bigint', ({ streamSequence }) => streamSequence],
  gateway: ['text', ({ event }) => event.gateway],
  payment_policy: ['text', ({ event }) => event.paymentPolicy],
  user_payment: ['text', ({ event }) => event.userPayment],
  authority: ['text', ({ event }) => event.authority],
  recipient: ['text', ({ event, details }) => (details ? details.recipient : event.recipient)],
  tracking_id: ['text', ({ event }) => event.trackingId],
  seq: ['bigint', ({ seq }) => seq],
  amount: ['numeric', payment(({ amount }) => amount)],
  paid_at: ['bigint', payment(({ paidAt }) => paidAt)],
  record_id: ['bigint', payment(({ recordId }) => recordId)],
  payer: ['text', ({ details }) => details?.payer ?? null],
  token_mint: ['text', tokenMintOf],
  transaction_index: ['bigint', ({ event }) => event.transactionIndex],
  commitment: ['text', ({ event }) => event.commitment],
  awaits_policy: ['boolean', ({ awaitsPolicy }) => awaitsPolicy],
}
const STORED = columnTable('e', EVENT_COLUMNS)
const LISTED = columnTable<WrittenEvent>('e', {
  ...EVENT_COLUMNS,
  retracted: ['boolean', ({ retracted }) => retracted],
})

/** Sends events that are known to be new (the writer lock is held). SQL: one text for each column, for any number of events. */
export const insertEvents = (tx: PipelinedTx, events: readonly NumberedEvent[]): void =>
  tx.send(sql`
    insert into events (${STORED.names}, retracted_at)
    select ${STORED.names}, case when retracted then clock_timestamp() end from ${LISTED.listOf(events.map(each => ({ ...each, ...writeData(each.event) })))}`)
