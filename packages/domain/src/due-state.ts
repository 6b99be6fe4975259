// Whether a policy waits for a payment at a given time.
import { readPolicyTerms, type PolicyTerms } from './policy-terms.js'

export const DUE_STATES = ['none', 'upcoming', 'due', 'overdue', 'expired'] as const
/**
 * - `none`: completed, paused, deleted, or without a due date
 * - `upcoming`: the due date is in the future
 * - `due`: the due date has passed, by less than the grace time
 * - `overdue`: the due date has passed by more than the grace time
 * - `expired`: the program accepts no payment any more
 */
export type DueState = (typeof DUE_STATES)[number]

/** The policy fields that the due state depends on. */
export interface DuePolicy {
  live: boolean
  status: string | null
  /** `PolicyType.text` */
  policyType: string
  /** of a subscription, Unix seconds */
  nextPaymentDue: bigint | null
  /** Unix seconds */
  createdAt: bigint
}

/** When a payment is due next, and after when none is taken, in Unix seconds; null is never. */
function datesOf(
  policy: Omit<DuePolicy, 'policyType'>,
  terms: PolicyTerms,
): { dueAt: bigint | null; isExpired: (now: bigint) => boolean } {
  const never = () => false
  switch (terms.kind) {
    case 'subscription':
      return { dueAt: policy.nextPaymentDue, isExpired: never }
    case 'one-time': {
      const { dueDate, expiryDate } = terms
      return {
        dueAt: dueDate > 0n ? dueDate : policy.createdAt,
        isExpired: now => expiryDate !== null && now > expiryDate,
      }
    }
    case 'up-to':
      return { dueAt: null, isExpired: now => now >= terms.deadline }
    case 'pay-as-you-go': {
      const { expiryDate } = terms
      return { dueAt: null, isExpired: now => expiryDate !== null && expiryDate > 0n && now > expiryDate }
    }
    default:
      return { dueAt: null, isExpired: never }
  }
}

/**
 * @param nowSeconds Unix time
 * @param graceSeconds how long after its due date a payment is not late yet: the indexer and the scheduler of
 *   payments need some time
 */
export const dueStateOf = (policy: DuePolicy, nowSeconds: number, graceSeconds: number): DueState =>
  // The terms of a policy that waits for nothing are not read.
  isWaiting(policy)
    ? dueStateByTerms(policy, readPolicyTerms(policy.policyType), nowSeconds, graceSeconds)
    : 'none'

const isWaiting = ({ live, status }: Pick<DuePolicy, 'live' | 'status'>): boolean =>
  live && status === 'active'

/** `dueStateOf` for a policy whose terms were read before. */
export function dueStateByTerms(
  policy: Omit<DuePolicy, 'policyType'>,
  terms: PolicyTerms,
  nowSeconds: number,
  graceSeconds: number,
): DueState {
  if (!isWaiting(policy)) return 'none'
  const now = BigInt(Math.floor(nowSeconds))
  const { dueAt, isExpired } = datesOf(policy, terms)
  if (isExpired(now)) return 'expired'
  if (dueAt === null) return 'none'
  if (now < dueAt) return 'upcoming'
  return now <= dueAt + BigInt(graceSeconds) ? 'due' : 'overdue'
}
