import { allOf, empty, sql, type RunStatement, type Sql, type Store } from '../../core/database/sql.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'
import { pageOf } from './event-filter.js'
import { FINALITY, type Finality } from '../../core/tables/detailed-payment.js'
import { readRecordPage, type RecordPage } from './read-record-page.js'
import { oneTimePaymentText, type RecordOptions } from './record-text.js'
import { walkConditions, walkOrder } from './walk-key.js'

/** A payment of a tracking ID: its record, and the details that a check compares. */
export interface StoredOneTimePayment {
  eventId: string
  /** JSON text as the API answers it */
  record: string
  recipient: string | null
  tokenMint: string | null
  /** smallest token unit, in decimal digits */
  amount: string
  finality: Finality
}

/** Pages up to this size are lookups. */
const MOST_KEYS = 10

export interface OneTimePage {
  recipient?: string | undefined
  /** include payments that the finalized chain does not hold */
  retracted?: boolean | undefined
  limit: number
  offset: number
}

/**
 * The payments of a tracking ID, newest first by (time, slot, record id), of every incarnation of their policies.
 * The recipient to filter by is the payment's own or that of its incarnation.
 * Relies on events_tracking_newest (walked backwards, the last column sorted within equal ones).
 */
const pageRows = (trackingId: string, page: OneTimePage): Sql => sql`
  select e.* from events e
   where ${allOf(walkConditions({ column: 'tracking_id', value: trackingId }))} and ${IS_PAYMENT}
     ${page.retracted ? empty : sql`and e.retracted_at is null`}
     ${page.recipient === undefined ? empty : sql`and e.recipient = ${page.recipient}`}
   ${walkOrder('tracking_id', sql`e.occurred_at desc, e.slot desc, e.record_id desc, e.id desc`)} ${pageOf(page)}`

/** Such a page reads only the rows of its answer. A long answer would delay other lookups. */
const isShort = ({ recipient, offset, limit }: OneTimePage): boolean =>
  recipient === undefined && offset === 0 && limit <= MOST_KEYS

/** A page of a tracking ID's payments, as rows. */
export const listOneTimePayments = (
  store: Store,
  trackingId: string,
  page: OneTimePage,
  tokens: RecordOptions['tokens'],
): Promise<readonly StoredOneTimePayment[]> =>
  listPayments(store.database.read, pageRows(trackingId, page), tokens, page.retracted)

/** @param payments rows of `events` with all columns, in their order */
export function listPayments(
  run: RunStatement,
  payments: Sql,
  tokens: RecordOptions['tokens'],
  withRetracted?: boolean,
): Promise<readonly StoredOneTimePayment[]> {
  const { unchanging, changing } = oneTimePaymentText({ tokens, withRetracted })
  return run<StoredOneTimePayment>(sql`
    select e.id as "eventId", ${unchanging} || ${changing} as record, e.recipient, e.token_mint as "tokenMint",
           e.amount::text as amount, ${FINALITY} as finality
      from (${payments}) e`)
}

/** The same page as the API answers it. With `retracted`, each record says whether it was retracted. */
export function readOneTimePage(
  { database }: Store,
  trackingId: string,
  page: OneTimePage,
  tokens: RecordOptions['tokens'],
): Promise<RecordPage> {
  const record = oneTimePaymentText({ tokens, withRetracted: page.retracted })
  const ask = isShort(page) ? database.lookUp : database.read
  return readRecordPage(ask, record, pageRows(trackingId, page))
}
