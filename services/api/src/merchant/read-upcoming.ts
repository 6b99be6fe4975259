// Payments that a gateway may expect.
import { dueDatesBetween, readPolicyTerms, type PolicyTerms } from '@payment-tracking/domain'
import { listPoliciesWithDueDates, type PolicyWithDueDates, type Store } from '@payment-tracking/store'
import type { Static } from 'typebox'
import type { Upcoming } from './merchant-schemas.js'

/** The most due dates of one policy in an answer: a subscription with a period of one second has millions. */
const MOST_OF_A_POLICY = 1_000

function dueDatesOf(policy: PolicyWithDueDates, terms: PolicyTerms, from: bigint, to: bigint): bigint[] {
  if (terms.kind === 'one-time') {
    if (policy.paymentCount > 0n) return []
    const dueAt = terms.dueDate > 0n ? terms.dueDate : policy.createdAt
    return dueAt >= from && dueAt < to ? [dueAt] : []
  }
  if (terms.kind !== 'subscription' || policy.nextPaymentDue === null) return []
  const { maxRenewals, autoRenew, frequency } = terms
  // Without automatic renewal, a subscription with an end is over after one payment.
  const most = maxRenewals === null ? null : autoRenew ? BigInt(maxRenewals) : 1n
  const paymentsLeft = most === null ? null : most - policy.paymentCount
  if (paymentsLeft !== null && paymentsLeft <= 0n) return []
  return dueDatesBetween(
    { frequency, nextDue: policy.nextPaymentDue, paymentsLeft },
    from,
    to,
    MOST_OF_A_POLICY,
  )
}

/** @param due sorted by time */
function sumByDay(due: readonly { dueAt: bigint; policy: { tokenMint: string | null }; amount: bigint }[]) {
  const days = new Map<
    string,
    { day: string; tokenMint: string | null; count: number; totalAmount: bigint }
  >()
  for (const { dueAt, policy, amount } of due) {
    const day = new Date(Number(dueAt) * 1000).toISOString().slice(0, 10)
    const key = `${day} ${policy.tokenMint ?? ''}`
    const sum = days.get(key) ?? { day, tokenMint: policy.tokenMint, count: 0, totalAmount: 0n }
    days.set(key, { ...sum, count: sum.count + 1, totalAmount: sum.totalAmount + amount })
  }
  return [...days.values()].map(day => ({ ...day, totalAmount: day.totalAmount.toString() }))
}

/** Every due date in a span (Unix seconds) of the active subscriptions and one-time policies of a gateway. */
export async function readUpcoming(
  store: Store,
  gateway: string,
  { from, to, limit, offset }: { from: bigint; to: bigint; limit: number; offset: number },
): Promise<Static<typeof Upcoming>> {
  const { policies, ...read } = await listPoliciesWithDueDates(store, gateway)
  let { complete } = read
  const due = policies.flatMap(policy => {
    const terms = readPolicyTerms(policy.policyType)
    const dates = dueDatesOf(policy, terms, from, to)
    if (dates.length === MOST_OF_A_POLICY) complete = false
    const variant = terms.kind === 'one-time' ? 'OneTime' : 'Subscription'
    const amount = terms.kind === 'one-time' || terms.kind === 'subscription' ? terms.amount : 0n
    return dates.map(dueAt => ({ dueAt, policy, variant, amount }))
  })
  due.sort((a, b) => Number(a.dueAt - b.dueAt) || (a.policy.address < b.policy.address ? -1 : 1))
  const tokens = new Map<string | null, { count: number; totalAmount: bigint }>()
  for (const { policy, amount } of due) {
    const token = tokens.get(policy.tokenMint) ?? { count: 0, totalAmount: 0n }
    tokens.set(policy.tokenMint, { count: token.count + 1, totalAmount: token.totalAmount + amount })
  }
  return {
    items: due.slice(offset, offset + limit).map(({ dueAt, policy, variant, amount }) => ({
      dueAt,
      policyAddress: policy.address,
      variant,
      recipient: policy.recipient,
      wallet: policy.wallet,
      trackingId: policy.trackingId,
      tokenMint: policy.tokenMint,
      amount: amount.toString(),
    })),
    byToken: [...tokens].map(([tokenMint, { count, totalAmount }]) => ({
      tokenMint,
      count,
      totalAmount: totalAmount.toString(),
    })),
    byDay: sumByDay(due),
    total: due.length,
    complete,
  }
}
