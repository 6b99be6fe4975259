import type { CommittedPayment } from '@payment-tracking/contracts'
import { readMemoText } from '@payment-tracking/domain'
import { runIn, type RunStatement } from '../database/database.js'
import { namedColumns } from '../database/columns.js'
import { empty, sql, type Sql, type Tx } from '../database/sql.js'
import { StoreUnavailableError } from '../errors.js'
import { MEMO } from './payment-data.js'
import { IS_PAYMENT } from './payment-names.js'

export interface PaymentRow extends Omit<CommittedPayment, 'occurredAt' | 'retracted' | 'memo'> {
  occurredAt: Date
  /** a JSON array of bytes, or null */
  memo: string | null
  retracted: boolean
  epoch?: string
}

/**
 * The columns of a `PaymentRow`, of events `e`.
 * @param details of the payment
 */
export const paymentColumns = (
  details = { recipient: sql`e.recipient`, payer: sql`e.payer`, tokenMint: sql`e.token_mint` },
): Sql =>
  namedColumns<Omit<PaymentRow, 'epoch'>>({
    eventId: sql`e.id`,
    position: sql`e.position::text`,
    trackingId: sql`e.tracking_id`,
    seq: sql`e.seq::float8`,
    signature: sql`e.signature`,
    slot: sql`e.slot::float8`,
    occurredAt: sql`e.occurred_at`,
    paidAt: sql`e.paid_at::text`,
    paymentPolicy: sql`e.payment_policy`,
    gateway: sql`e.gateway`,
    amount: sql`e.amount::text`,
    recordId: sql`e.record_id::float8`,
    ...details,
    memo: sql`case when e.tracking_id is null then ${MEMO} end`,
    retracted: sql`e.retracted_at is not null`,
  })

/**
 * Payments for sockets and webhooks.
 * @param condition on `e` (the events row); relies on an index that the caller chooses
 * @param tail `order by` and `limit`
 * @param epoch of a statement before this one: in another epoch, a `seq` may be another payment's
 * @throws StoreUnavailableError when the payments are of another epoch
 */
export async function readCommittedPayments(
  run: RunStatement,
  condition: Sql,
  tail = empty,
  epoch?: string,
): Promise<CommittedPayment[]> {
  const ofEpoch = epoch === undefined ? empty : sql`, (select epoch::text from stream_head) as epoch`
  const rows = await run<PaymentRow>(sql`
    select ${paymentColumns()} ${ofEpoch}
      from events e
     where ${IS_PAYMENT} and ${condition}
     ${tail}`)
  if (epoch !== undefined && rows.some(row => row.epoch !== epoch))
    throw new StoreUnavailableError('the database began another epoch during the read')
  return rows.map(toCommittedPayment)
}

/** Stored payments, retracted ones too, in the order of `seq` of each tracking ID; ids of other events find nothing. */
export const readCommittedById = async (tx: Tx, ids: readonly string[]): Promise<CommittedPayment[]> =>
  ids.length === 0
    ? []
    : readCommittedPayments(
        runIn(tx),
        sql`e.id = any(${[...ids]}::uuid[])`,
        sql`order by e.tracking_id, e.seq`,
      )

/** The text of a memo that is no tracking ID. An execution of a composable policy can have none. */
const memoTextOf = (json: string | null): string =>
  readMemoText(Uint8Array.from(json === null ? [] : ((JSON.parse(json) as number[] | null) ?? [])))

/** Most messages to sockets do without `retracted` and `memo`. */
export function toCommittedPayment({
  retracted,
  memo: bytes,
  epoch: _,
  ...payment
}: PaymentRow): CommittedPayment {
  const memo = memoTextOf(bytes)
  return {
    ...payment,
    occurredAt: payment.occurredAt.toISOString(),
    ...(memo === '' ? {} : { memo }),
    ...(retracted ? { retracted: true } : {}),
  }
}
