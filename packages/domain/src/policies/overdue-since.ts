// When a policy became overdue in the past.
import { nextPaymentDue } from './due-date.js'
import { policyDates } from './due-state.js'
import type { PolicyTerms } from './policy-terms.js'

/** What happened to a policy that nobody paid meanwhile. */
export interface UnpaidChange {
  atMs: number
  became: 'active' | 'inactive' | 'deleted'
}

/**
 * The date that is due after a payment, or after the creation.
 * @param paidAt Unix seconds; null for no payment yet
 * @param createdAt Unix seconds
 */
export function dueAfter(terms: PolicyTerms, paidAt: bigint | null, createdAt: bigint): bigint | null {
  const next =
    terms.kind === 'subscription'
      ? nextPaymentDue({ createdDue: terms.nextPaymentDue, frequency: terms.frequency, lastPaidAt: paidAt })
      : null
  return policyDates(terms, { nextPaymentDue: next, createdAt, paymentCount: paidAt === null ? 0n : 1n })
    .dueAt
}

/**
 * The millisecond from which a policy that was active first was overdue: after its due date and the grace time, while it was
 * active. Null when it was not, up to the end of the changes.
 * @param fromMs of the payment or the creation before: a policy can be created with a due date that has passed
 * @param changes since then, by time
 */
export function overdueSince(
  { dueAt, fromMs }: { dueAt: bigint; fromMs: number },
  graceSeconds: number,
  changes: readonly UnpaidChange[],
): number | null {
  const lateMs = Math.max((Number(dueAt) + graceSeconds + 1) * 1_000, fromMs)
  let since: number | null = lateMs
  for (const { atMs, became } of changes) {
    if (since !== null && since <= atMs) return since
    if (became === 'deleted') return null
    since = became === 'active' ? Math.max(lateMs, atMs) : null
  }
  return since
}
