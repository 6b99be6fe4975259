// An expected payment as it is shown: by REST, webhooks and sockets alike.
import { writeJson } from '../json/json.js'
import {
  isLate,
  stateOf,
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
  changedAt: string
}

/** @param finalCount how many of the payments of `sums` are final */
export function toExpectationRecord(
  terms: ExpectationTerms,
  { state, changedAt }: Pick<NotifiedState, 'state' | 'changedAt'>,
  { sums, finalCount, payments }: { sums: ExpectedSums; finalCount: bigint; payments: readonly string[] },
): ExpectationRecord {
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
  }
}

/**
 * The state as a reader sees it: what has expired is expired, also before it was written.
 */
export function stateAt(
  notified: NotifiedState,
  expected: Expected,
  sums: ExpectedSums,
  now: Date,
): NotifiedState {
  const state = stateOf(expected, sums, now)
  if (state === notified.state) return notified
  const { expiresAt } = expected
  const changedAt = expiresAt !== null && expiresAt > notified.changedAt ? expiresAt : notified.changedAt
  return { state, changedAt, changes: notified.changes + 1n }
}

/** As JSON text, every digit kept. */
export const renderExpectation = (record: ExpectationRecord): string => writeJson(record)

/** The same for everybody who knows the id: without the gateway's own reference. */
export const renderPublicExpectation = ({ reference: _, ...record }: ExpectationRecord): string =>
  writeJson(record)
