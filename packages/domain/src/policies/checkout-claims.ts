// What a proof-of-payment token says of a policy, in the fields that the published verifier and its callers read.
import { dueStateOf, type DueState, type PolicyDates } from './due-state.js'
import type { Json } from '../json/json.js'
import { policyTypeView } from './policy-view.js'
import { readPolicyTerms } from './policy-terms.js'

/** A policy that exists, as far as a claim depends on it. Times are Unix seconds, amounts the token's smallest unit. */
export interface ClaimedPolicy extends PolicyDates {
  address: string
  policyId: number
  recipient: string
  gateway: string
  /** null until the payment account is known */
  tokenMint: string | null
  trackingId: string | null
  /** `PolicyType.text` */
  policyType: string
  status: string
  createdAt: number
  paymentCount: number
  totalPaid: bigint
  nextPaymentDue: bigint | null
  periodStart: bigint | null
  periodTotal: bigint | null
}

export interface PolicyClaim {
  /** `variant`, `status` and the fields of the variant */
  claim: Record<string, Json>
  /** after this Unix second the claim may no longer hold; null where nothing that is known ends it */
  holdsUntil: number | null
}

/** A payment takes some time from its due date until it is stored. */
const SETTLING_SECONDS = 600
const HOUR = 3_600
/** A token that ends at once would be of no use to anybody. */
const LEAST_SECONDS = 300

const big = (amount: Json | undefined): bigint => BigInt((amount ?? 0) as number | bigint)
const text = (amount: Json | undefined): string => big(amount).toString()
/** A number where a double holds it, so that the token is plain JSON; dates of the year 285 million stay texts. */
const number = (value: bigint | Json | undefined): number | string | null => {
  if ((value ?? null) === null) return null
  const exact = Number(value)
  return Number.isSafeInteger(exact) ? exact : (value as bigint).toString()
}
const after = (moment: bigint | Json | undefined, seconds = SETTLING_SECONDS): number | null => {
  const value = number(moment)
  return typeof value === 'number' ? value + seconds : null
}

/** `monthly`, `semiAnnually`, `custom:<seconds>`. */
function frequencyLabel(tagged: Json | undefined): string {
  const [name = '', payload] = Object.entries((tagged ?? {}) as Record<string, Json>)[0] ?? []
  return name === 'Custom' ? `custom:${text(payload)}` : name.charAt(0).toLowerCase() + name.slice(1)
}

type Fields = Record<string, Json>
type Describe = (
  fields: Fields,
  policy: ClaimedPolicy,
  at: { now: number; graceSeconds: number; dueState: DueState },
) => PolicyClaim

const wasPaid = (policy: ClaimedPolicy): boolean => policy.paymentCount > 0
/** The owner of a policy can end it without a payment. */
const isDone = (policy: ClaimedPolicy): boolean => policy.status === 'completed' && wasPaid(policy)

const describeSubscription: Describe = (fields, policy, { now, graceSeconds, dueState }) => {
  const due = policy.nextPaymentDue
  // The grace is for renewals: what was never paid was not paid on its due date either.
  const isDue = due !== null && due <= BigInt(now)
  const status = !wasPaid(policy)
    ? isDue
      ? 'overdue'
      : 'pending'
    : policy.status === 'completed'
      ? 'completed'
      : dueState === 'overdue'
        ? 'overdue'
        : 'paid'
  const settling = !wasPaid(policy) ? 0 : dueState === 'due' ? graceSeconds : SETTLING_SECONDS
  return {
    claim: {
      variant: 'subscription',
      status,
      amount: text(fields.amount),
      paymentFrequency: frequencyLabel(fields.paymentFrequency),
      totalPayments: policy.paymentCount,
      nextPaymentDue: number(due),
      autoRenew: fields.autoRenew ?? false,
      maxRenewals: fields.maxRenewals ?? null,
    },
    holdsUntil: status === 'paid' || status === 'pending' ? after(due, settling) : null,
  }
}

const describeMilestone: Describe = (fields, policy) => {
  const total = Number(fields.totalMilestones)
  const timestamps = (fields.milestoneTimestamps ?? []) as Json[]
  const escrow = big(fields.escrowAmount)
  return {
    claim: {
      variant: 'milestone',
      status: isDone(policy) ? 'completed' : 'active',
      milestoneAmounts: ((fields.milestoneAmounts ?? []) as Json[]).map(text),
      milestoneTimestamps: timestamps.map(number),
      currentMilestone: Number(fields.currentMilestone ?? 0) + policy.paymentCount,
      totalMilestones: total,
      escrowAmount: escrow.toString(),
      escrowRemaining: (escrow > policy.totalPaid ? escrow - policy.totalPaid : 0n).toString(),
      releaseCondition: fields.releaseCondition ?? null,
    },
    holdsUntil: after(timestamps[total - 1]),
  }
}

const describePayAsYouGo: Describe = (fields, policy, { now }) => {
  const length = big(fields.periodLengthSeconds)
  const start = policy.periodStart ?? big(fields.currentPeriodStart)
  const resetsAt = start + length
  // The next payment begins a new period, in which nothing is paid yet.
  const paid = BigInt(now) >= resetsAt ? 0n : (policy.periodTotal ?? 0n)
  const cap = big(fields.maxAmountPerPeriod)
  const left = cap > paid ? cap - paid : 0n
  return {
    claim: {
      variant: 'payAsYouGo',
      status: left === 0n || policy.status === 'completed' ? 'exhausted' : 'active',
      maxAmountPerPeriod: cap.toString(),
      maxChunkAmount: text(fields.maxChunkAmount),
      periodLengthSeconds: number(length),
      currentPeriodStart: number(start),
      currentPeriodTotal: paid.toString(),
      capRemainingThisPeriod: left.toString(),
      periodResetsAt: number(resetsAt),
    },
    holdsUntil: after(resetsAt),
  }
}

const describeOneTime: Describe = (fields, policy, { dueState }) => {
  const dueDate = big(fields.dueDate)
  return {
    claim: {
      variant: 'oneTime',
      status: wasPaid(policy) ? 'completed' : dueState === 'expired' ? 'expired' : 'pending',
      amount: text(fields.amount),
      dueDate: dueDate > 0n ? number(dueDate) : null,
      expiryDate: number(fields.expiryDate),
    },
    holdsUntil: after(fields.expiryDate),
  }
}

const describeUpTo: Describe = (fields, policy, { dueState }) => {
  const validAfter = big(fields.validAfter)
  return {
    claim: {
      variant: 'upTo',
      status: isDone(policy) ? 'settled' : dueState === 'expired' ? 'expired' : 'pending',
      maxAmount: text(fields.maxAmount),
      validAfter: validAfter > 0n ? number(validAfter) : null,
      deadline: number(fields.deadline),
    },
    holdsUntil: after(fields.deadline, 0),
  }
}

const DESCRIBED: Readonly<Record<string, Describe>> = {
  subscription: describeSubscription,
  milestone: describeMilestone,
  'pay-as-you-go': describePayAsYouGo,
  'one-time': describeOneTime,
  'up-to': describeUpTo,
}

/** A first payment that is made with its policy is stored by then. */
const FIRST_PAYMENT_WITHIN_SECONDS = 15

/**
 * Whether the first payment of a policy may be on its way: the policy is young, and its first payment may be due. A token
 * that was issued now would deny the payment for as long as the token lives.
 * @param now Unix seconds
 */
export function awaitsFirstPayment(policy: ClaimedPolicy, now: number): boolean {
  if (policy.paymentCount > 0 || policy.createdAt <= now - FIRST_PAYMENT_WITHIN_SECONDS) return false
  const { kind } = readPolicyTerms(policy.policyType)
  const isDue = policy.dueAt !== null && policy.dueAt <= BigInt(now)
  return kind === 'subscription' || (kind === 'one-time' && isDue)
}

/**
 * The claim about a policy at a moment.
 * @param now Unix seconds
 * @param graceSeconds from a due date until a renewal is overdue: until then one that was paid counts as paid
 * @returns null for a type that the verifier does not know, and for pay-as-you-go that takes no payment any more
 */
export function claimOf(policy: ClaimedPolicy, now: number, graceSeconds: number): PolicyClaim | null {
  const describe = DESCRIBED[readPolicyTerms(policy.policyType).kind]
  if (!describe) return null
  const dueState = dueStateOf({ ...policy, live: true }, now, graceSeconds)
  const [fields] = Object.values(policyTypeView(policy.policyType)) as [Fields]
  const { claim, holdsUntil } = describe(fields, policy, { now, graceSeconds, dueState })
  if (claim.variant === 'payAsYouGo' && dueState === 'expired') return null
  return {
    claim: {
      ...claim,
      policyAddress: policy.address,
      policyId: policy.policyId,
      recipient: policy.recipient,
      gateway: policy.gateway,
      tokenMint: policy.tokenMint,
      memo: policy.trackingId ?? '',
      createdAt: policy.createdAt,
    },
    holdsUntil,
  }
}

/**
 * When a token with these claims ends: with the first claim that ends in the future, and after an hour where none does.
 * @returns Unix seconds, at least five minutes from now and at most `maxSeconds`
 */
export function tokenEndsAt(claims: readonly PolicyClaim[], now: number, maxSeconds: number): number {
  const ends = claims.map(({ holdsUntil }) => holdsUntil).filter(end => end !== null && end > now)
  const first = ends.length === 0 ? now + HOUR : Math.min(...(ends as number[]))
  return Math.min(Math.max(first, now + LEAST_SECONDS), now + maxSeconds)
}
