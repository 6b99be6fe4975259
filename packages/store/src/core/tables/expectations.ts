// The table expectations: what each gateway expects, the sums of what counts, and the notified states.
import type { CommittedExpectation } from '@payment-tracking/contracts'
import {
  MOST_LISTED_PAYMENTS,
  NOTHING_PAID,
  stateAt,
  renderPublicExpectation,
  toExpectationRecord,
  type ExpectationRecord,
  type ExpectationState,
  type ExpectationTerms,
  type ExpectedSums,
  type NotifiedState,
} from '@payment-tracking/domain'
import { inline, sql, type RunStatement, type Sql } from '../database/sql.js'

/** Over which payments sums and states are: all that are valid, or the final ones alone. */
export type Over = 'all' | 'final'

export interface Expectation {
  terms: ExpectationTerms
  /** stored payments are still being counted: nobody is notified yet */
  counting: boolean
  sums: Record<Over, ExpectedSums>
  notified: Record<Over, NotifiedState>
  /** of the last change over all payments; null where the clock or the gateway changed it */
  cause: Cause | null
}

/** What changed an expectation. */
export interface Cause {
  /** the payment that counts now, or counts no more */
  eventId: string
  /** the last position of an event at the commit of the change */
  position: bigint
}

/** The sums and states over the final payments have the same names as those over all, with `final` before. */
export interface ExpectationRow extends Omit<ExpectationTerms, 'amount'> {
  amount: string
  counting: boolean
  paidAmount: string
  inTimeAmount: string
  paymentCount: bigint
  state: ExpectationState
  changedAt: Date
  changes: bigint
  causeId: string | null
  causePosition: bigint | null
  finalPaidAmount: string
  finalInTimeAmount: string
  finalPaymentCount: bigint
  finalState: ExpectationState
  finalChangedAt: Date
  finalChanges: bigint
  /** the clock of the database */
  now: Date
}

/** Of expectations `x`. */
export const EXPECTATION_COLUMNS = sql`
  x.id::text as id, x.gateway, x.tracking_id as "trackingId", x.recipient, x.token_mint as "tokenMint", x.amount::text as amount,
  x.expires_at as "expiresAt", x.reference, x.created_at as "createdAt", x.cancelled_at as "cancelledAt", x.counting,
  x.paid_amount::text as "paidAmount", x.in_time_amount::text as "inTimeAmount", x.payment_count as "paymentCount",
  x.state, x.changed_at as "changedAt", x.changes, x.cause_id::text as "causeId", x.cause_position as "causePosition",
  x.final_paid_amount::text as "finalPaidAmount", x.final_in_time_amount::text as "finalInTimeAmount",
  x.final_payment_count as "finalPaymentCount", x.final_state as "finalState", x.final_changed_at as "finalChangedAt",
  x.final_changes as "finalChanges", clock_timestamp()::timestamptz(3) as now`

const toSums = (paidAmount: string, inTimeAmount: string, paymentCount: bigint): ExpectedSums => ({
  paidAmount: BigInt(paidAmount),
  inTimeAmount: BigInt(inTimeAmount),
  paymentCount,
})

export function toExpectation(row: ExpectationRow): Expectation {
  const { id, gateway, trackingId, recipient, tokenMint, reference, createdAt, expiresAt, cancelledAt } = row
  const payment = { trackingId, recipient, tokenMint, amount: BigInt(row.amount) }
  return {
    terms: { id, gateway, ...payment, reference, createdAt, expiresAt, cancelledAt },
    counting: row.counting,
    sums: {
      all: toSums(row.paidAmount, row.inTimeAmount, row.paymentCount),
      final: toSums(row.finalPaidAmount, row.finalInTimeAmount, row.finalPaymentCount),
    },
    notified: {
      all: { state: row.state, changedAt: row.changedAt, changes: row.changes },
      final: { state: row.finalState, changedAt: row.finalChangedAt, changes: row.finalChanges },
    },
    cause: row.causeId === null ? null : { eventId: row.causeId, position: row.causePosition! },
  }
}

/**
 * The newest event ids that count for an expectation `x`. Relies on the primary key of expected_payments.
 * @param which a condition on expected_payments `p`
 */
export const newestPayments = (which: Sql): Sql => sql`array(
  select p.event_id::text from expected_payments p where p.expectation_id = x.id and ${which}
   order by p.occurred_at desc, p.slot desc, p.event_id desc limit ${inline(MOST_LISTED_PAYMENTS)}) as payments`

/** A record, and which change it shows: readers see the passing of time, and cancelling, before either is written. */
export interface ReadExpectation {
  record: ExpectationRecord
  changes: bigint
  /** a position at which the change is stored; null where the clock or the gateway did it */
  position: bigint | null
  /** stored payments are still being counted */
  counting: boolean
}

/** @param which `where`, `order by` and `limit` over expectations `x` */
export async function readExpectations(run: RunStatement, which: Sql): Promise<ReadExpectation[]> {
  const rows = await run<ExpectationRow & { payments: string[] }>(sql`
    select ${EXPECTATION_COLUMNS}, ${newestPayments(sql`x.cancelled_at is null`)} from expectations x ${which}`)
  return rows.map(row => {
    const { terms, sums, notified, cause, counting } = toExpectation(row)
    const seen = stateAt(notified.all, terms, sums.all, row.now)
    const { eventId, position } = (seen === notified.all ? cause : null) ?? { eventId: null, position: null }
    const shown = terms.cancelledAt === null ? sums.all : NOTHING_PAID
    const of = { sums: shown, finalCount: sums.final.paymentCount, payments: row.payments, eventId }
    return { record: toExpectationRecord(terms, seen, of), changes: seen.changes, position, counting }
  })
}

/** For sockets. */
export const toCommittedExpectation = (of: Omit<ReadExpectation, 'counting'>): CommittedExpectation => ({
  id: of.record.id,
  trackingId: of.record.trackingId,
  changes: Number(of.changes),
  position: of.position?.toString() ?? null,
  data: renderPublicExpectation(of.record),
})
