// The table waiting_messages: messages that wait until their cause is final, or until the recipient or the token is known
// that the filters of their webhook need.
import type { Lifecycle } from '@payment-tracking/domain'
import { columnTable } from '../../core/database/columns.js'
import type { Sql, Tx } from '../../core/database/sql.js'
import { NOTIFIED_WEBHOOK, type NotifiedWebhook } from '../routing/notified-webhooks.js'

/** One message for one webhook. */
export interface WaitingMessage {
  webhookId: bigint
  /** the event's id for a payment; the id of the message otherwise */
  messageId: string
  /** null for what time causes */
  eventId: string | null
  policy: string
  /** null for what time causes */
  slot: number | null
  type: string
  /** null for payments */
  lifecycle: Lifecycle | null
  /** the rendered body of a life-cycle event that waits for finality; null for what is rendered when it is released */
  body: string | null
  waitsFor: 'finality' | 'details'
}

/** A row, with its webhook. */
export interface WaitingRow extends WaitingMessage {
  /** where Postgres keeps the row, as long as it is locked */
  ctid: string
  webhook: NotifiedWebhook
  isDeleted: boolean
}

/** JSON has no bigint. */
export const writeLifecycle = (lifecycle: Lifecycle | null): string | null =>
  lifecycle && JSON.stringify({ ...lifecycle, dueAt: lifecycle.dueAt?.toString() ?? null })

const WAITING_MESSAGES = columnTable<WaitingMessage>('w', {
  webhook_id: ['bigint', ({ webhookId }) => webhookId.toString()],
  message_id: ['text', ({ messageId }) => messageId],
  event_id: ['uuid', ({ eventId }) => eventId],
  policy: ['text', ({ policy }) => policy],
  slot: ['bigint', ({ slot }) => slot?.toString() ?? null],
  type: ['text', ({ type }) => type],
  lifecycle: ['json', ({ lifecycle }) => writeLifecycle(lifecycle)],
  body: ['text', ({ body }) => body],
  waits_for: ['text', ({ waitsFor }) => waitsFor],
})

/** Existing rows stay unchanged. SQL: one text a column. */
export async function insertWaiting(tx: Tx, waiting: readonly WaitingMessage[]): Promise<void> {
  if (waiting.length === 0) return
  await tx.$executeRaw`
    insert into waiting_messages (${WAITING_MESSAGES.names}) select * from ${WAITING_MESSAGES.listOf(waiting)}
    on conflict do nothing`
}

export type StoredLifecycle = Omit<Lifecycle, 'dueAt'> & { dueAt: string | null }

export const toLifecycle = ({ dueAt, ...lifecycle }: StoredLifecycle): Lifecycle => ({
  ...lifecycle,
  dueAt: dueAt === null ? null : BigInt(dueAt),
})

type StoredRow = Omit<WaitingRow, 'webhookId' | 'webhook' | 'lifecycle'> &
  NotifiedWebhook & { lifecycle: StoredLifecycle | null }

/**
 * Reads and locks rows with their webhooks, so that nobody else decides about them until this transaction ends.
 * @param page `where`, `order by` and `limit` over waiting_messages `a`
 */
export async function lockWaiting(tx: Tx, page: Sql): Promise<WaitingRow[]> {
  const rows = await tx.$queryRaw<StoredRow[]>`
    select a.ctid::text as ctid, a.message_id as "messageId", a.event_id as "eventId", a.policy, a.slot::float8 as slot, a.type, a.lifecycle,
           a.body, a.waits_for as "waitsFor", w.deleted_at is not null as "isDeleted", ${NOTIFIED_WEBHOOK}
      from (select a.ctid, a.* from waiting_messages a ${page} for update) a
      join webhooks w on w.id = a.webhook_id`
  return rows.map(row => ({
    ...row,
    webhook: row,
    webhookId: row.id,
    lifecycle: row.lifecycle && toLifecycle(row.lifecycle),
  }))
}

/** Deletes rows that this transaction has locked. SQL: by the place of rows. */
export async function deleteWaiting(tx: Tx, rows: readonly WaitingRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.$executeRaw`
    delete from waiting_messages where ctid = any(${rows.map(({ ctid }) => ctid)}::tid[])`
}

/** Deletes what waits for some events. Relies on the index by event. SQL: transactions of both kinds run it. */
export async function deleteWaitingOf(tx: Tx, eventIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`delete from waiting_messages where event_id = any(${[...eventIds]}::uuid[])`
}
