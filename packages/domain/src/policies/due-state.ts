// Whether a policy waits for a payment at a given time. REST, webhooks and sockets ask these functions.
import { LAST_SECOND } from '../time/civil-date.js'
import type { LifecycleType } from './lifecycle-types.js'
import type { PolicyTerms } from './policy-terms.js'

export const DUE_STATES = ['none', 'upcoming', 'due', 'overdue', 'expired'] as const
/**
 * - `none`: completed, paused, deleted, or without a due date
 * - `upcoming`: the due date is in the future
 * - `due`: the due date has passed, by less than the grace time
 * - `overdue`: the due date has passed by more than the grace time
 * - `expired`: the program accepts no payment any more
 */
export type DueState = (typeof DUE_STATES)[number]

/** Unix seconds from 0 to `LAST_SECOND`, so that nobody's arithmetic with them overflows. */
export interface PolicyDates {
  /** when a payment is due next; null is never */
  dueAt: bigint | null
  /** the first second at which no payment is accepted any more; null is never */
  endsAt: bigint | null
}

/** The policy fields that the due state depends on. */
export interface DuePolicy extends PolicyDates {
  live: boolean
  status: string | null
}

const MAX = BigInt(LAST_SECOND)
/** A due date that no calendar of four digits has is none. */
const servable = (date: bigint | null): bigint | null =>
  date === null || date < 0n || date > MAX ? null : date
/** An end before 1970 has passed, and an end after 9999 is as far away as any. */
const clamped = (date: bigint): bigint => (date < 0n ? 0n : date > MAX ? MAX : date)

/**
 * A one-time policy with its payment is never due again, also when somebody makes it active again.
 * @param nextPaymentDue of a subscription, Unix seconds
 * @param createdAt Unix seconds
 */
export function policyDates(
  terms: PolicyTerms,
  {
    nextPaymentDue,
    createdAt,
    paymentCount,
  }: { nextPaymentDue: bigint | null; createdAt: bigint | null; paymentCount: bigint },
): PolicyDates {
  switch (terms.kind) {
    case 'subscription':
      return { dueAt: servable(nextPaymentDue), endsAt: null }
    case 'one-time':
      return {
        dueAt: paymentCount > 0n ? null : servable(terms.dueDate > 0n ? terms.dueDate : createdAt),
        endsAt: terms.expiryDate === null ? null : clamped(terms.expiryDate + 1n),
      }
    case 'up-to':
      return { dueAt: null, endsAt: clamped(terms.deadline) }
    case 'pay-as-you-go': {
      const { expiryDate } = terms
      return {
        dueAt: null,
        endsAt: expiryDate === null || expiryDate <= 0n ? null : clamped(expiryDate + 1n),
      }
    }
    default:
      return { dueAt: null, endsAt: null }
  }
}

/**
 * @param nowSeconds Unix time
 * @param graceSeconds how long after its due date a payment is not late yet: the indexer and the scheduler of
 *   payments need some time
 */
export function dueStateOf(
  { live, status, dueAt, endsAt }: DuePolicy,
  nowSeconds: number,
  graceSeconds: number,
): DueState {
  if (!live || status !== 'active') return 'none'
  const now = BigInt(Math.floor(nowSeconds))
  if (endsAt !== null && now >= endsAt) return 'expired'
  if (dueAt === null) return 'none'
  if (now < dueAt) return 'upcoming'
  return now <= dueAt + BigInt(graceSeconds) ? 'due' : 'overdue'
}

/** What time alone has done to a policy. */
export interface DueNotice {
  type: LifecycleType
  /** the due date or the end, Unix seconds */
  at: bigint
}

/**
 * What webhooks and sockets are notified of a policy's dates at a time; null is nothing.
 * @param soonSeconds how long before a due date it is near
 */
export function dueNoticeOf(
  policy: DuePolicy,
  nowSeconds: number,
  { soonSeconds, graceSeconds }: { soonSeconds: number; graceSeconds: number },
): DueNotice | null {
  const { dueAt, endsAt } = policy
  switch (dueStateOf(policy, nowSeconds, graceSeconds)) {
    case 'upcoming':
      return dueAt! <= BigInt(Math.floor(nowSeconds)) + BigInt(soonSeconds)
        ? { type: 'subscription.due_soon', at: dueAt! }
        : null
    case 'overdue':
      return { type: 'subscription.overdue', at: dueAt! }
    case 'expired':
      return { type: 'subscription.expired', at: endsAt! }
    default:
      return null
  }
}

/** Whether a notice that waited is still true: nobody paid, paused or ended the policy, and the next notice is not due. */
export function holdsStill(notice: DueNotice, policy: DuePolicy, nowSeconds: number): boolean {
  // The times before and after a due date have passed already when the notice was made.
  const margins = { soonSeconds: LAST_SECOND, graceSeconds: 0 }
  const now = dueNoticeOf(policy, nowSeconds, margins)
  return now !== null && now.type === notice.type && now.at === notice.at
}
