import type { Store } from '../database/open-store.js'
import { empty, join, sql, type Sql } from '../database/sql.js'
import { IS_PAYMENT } from '../rows/payment-names.js'
import { listOneTimePayments, type StoredOneTimePayment } from './list-one-time-payments.js'
import type { RecordOptions } from './record-text.js'

/** What a payment must be; a field that is not given is not compared. */
export interface WantedPayment {
  recipient?: string | undefined
  tokenMint?: string | undefined
  /** the least amount, in decimal digits */
  amount?: string | undefined
  /** `confirmed` is every payment */
  finality?: string | undefined
}

export interface CheckedPayments {
  /** the newest of those that are all that is wanted, and how many there are */
  payments: readonly StoredOneTimePayment[]
  paymentCount: number
  /** the newest of the others, and in how many fields all others differ */
  others: readonly StoredOneTimePayment[]
  mismatchCount: number
}

/** The most payments of each kind. */
export const MOST_CHECKED = 100

/** For each wanted field, whether a payment `e` has it; an unknown fact is not it. */
function conditionsOf({ recipient, tokenMint, amount, finality }: WantedPayment): Sql[] {
  const conditions: Sql[] = []
  if (recipient !== undefined) conditions.push(sql`(e.recipient = ${recipient}) is true`)
  if (tokenMint !== undefined) conditions.push(sql`(e.token_mint = ${tokenMint}) is true`)
  if (amount !== undefined) conditions.push(sql`e.amount >= ${amount}::numeric`)
  if (finality === 'finalized')
    conditions.push(sql`(e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head))`)
  return conditions
}

/**
 * Compares all standing payments of a tracking ID with what is wanted. Counts them in one statement, which reads every
 * payment of the tracking ID by events_tracking_newest: 300,000 take some 0.3 s. The lists are bounded.
 */
export async function checkPayments(
  store: Store,
  trackingId: string,
  wanted: WantedPayment,
  tokens: RecordOptions['tokens'],
): Promise<CheckedPayments> {
  const conditions = conditionsOf(wanted)
  const all = conditions.length === 0 ? sql`true` : join(conditions, ' and ')
  const lacks = conditions.map(condition => sql`case when ${condition} then 0 else 1 end`)
  const [counts] = await store.database.read<{ payments: bigint; mismatches: bigint }>(sql`
    select count(*) filter (where ${all}) as payments,
           coalesce(sum(${lacks.length === 0 ? sql`0` : join(lacks, ' + ')}), 0)::bigint as mismatches
      from events e
     where e.tracking_id = ${trackingId} and ${IS_PAYMENT} and e.retracted_at is null`)
  const list = (condition: Sql, isAny: boolean) =>
    isAny ? listOneTimePayments(store, trackingId, { limit: MOST_CHECKED, offset: 0, condition }, tokens) : []
  const { payments, mismatches } = counts!
  return {
    payments: await list(conditions.length === 0 ? empty : sql`and ${all}`, payments > 0n),
    paymentCount: Number(payments),
    others: await list(sql`and not (${all})`, mismatches > 0n),
    mismatchCount: Number(mismatches),
  }
}
