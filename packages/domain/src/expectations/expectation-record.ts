// An expected payment as it is shown: by REST, webhooks and sockets alike.
import { writeJson } from '../json/json.js'
import {
  changesOf,
  isLate,
  type Expected,
  type ExpectationState,
  type ExpectedSums,
  type NotifiedState,
} from './expectation-state.js'

/** The event ids that a record lists: the newest. */
export const MOST_LISTED_PAYMENTS = 100

/** What its gateway said. */
export interface ExpectationTerms extends Expected {
  id: string
  gateway: string
  trackingId: string
  recipient: string
  tokenMint: string
  /** the gateway's own; never shown in public */
  reference: string | null
  createdAt: Date
}

export interface ExpectationRecord {
  id: string
  gateway: string
  trackingId: string
  recipient: string
  tokenMint: string
  amount: bigint
  amountString: string
  state: ExpectationState
  paidAmount: bigint
  paidAmountString: string
  paymentCount: bigint
  late: boolean
  /** null while nothing counts */
  finality: 'confirmed' | 'finalized' | null
  /** the newest first */
  payments: readonly string[]
  reference: string | null
  createdAt: string
  expiresAt: string | null
  /** when the state or the sum changed last: another time for each change */
  changedAt: string
  /** the payment that changed it last, or that was taken back; null where the clock or the gateway did */
  eventId: string | null
}

/** @param of.finalCount how many of the payments of `sums` are final */
export function toExpectationRecord(
  terms: ExpectationTerms,
  { state, changedAt }: Pick<NotifiedState, 'state' | 'changedAt'>,
  of: { sums: ExpectedSums; finalCount: bigint; payments: readonly string[]; eventId: string | null },
): ExpectationRecord {
  const { sums, finalCount, payments, eventId } = of
  const { id, gateway, trackingId, recipient, tokenMint, amount, reference, createdAt, expiresAt } = terms
  const { paidAmount, paymentCount } = sums
  return {
    id,
    gateway,
    trackingId,
    recipient,
    tokenMint,
    amount,
    amountString: amount.toString(),
    state,
    paidAmount,
    paidAmountString: paidAmount.toString(),
    paymentCount,
    late: isLate(state, terms, sums),
    finality: paymentCount === 0n ? null : finalCount === paymentCount ? 'finalized' : 'confirmed',
    payments,
    reference,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    changedAt: changedAt.toISOString(),
    eventId,
  }
}

/** The state as a reader sees it: what has expired or was cancelled is so, also before it was written. */
export function stateAt(
  notified: NotifiedState,
  expected: Expected,
  sums: ExpectedSums,
  now: Date,
): NotifiedState {
  const last = changesOf(notified, expected, { before: sums, after: sums, now }).at(-1)
  return last ? { state: last.state, changedAt: last.changedAt, changes: last.changes } : notified
}

/** As JSON text, every digit kept. */
export const renderExpectation = (record: ExpectationRecord): string => writeJson(record)

/** The same for everybody who knows the id: without the gateway's own reference. */
export const renderPublicExpectation = ({ reference: _, ...record }: ExpectationRecord): string =>
  writeJson(record)
