// What a policy is, from all its valid events.
import { compare, isPayment, type ResolvedEvent } from './resolved-events.js'
import { isServable, nextDue } from './due-date.js'
import { text, type Enum, type Fields, type Value } from './said.js'

export interface ModelPolicy {
  address: string
  live: boolean
  family: string
  userPayment: string
  gateway: string
  recipient: string
  trackingId: string | null
  policyId: string
  inputMint: string | null
  createdAt: number
  updatedAt: bigint
  paymentCount: number
  totalPaid: bigint
  status: string
  nextPaymentDue: bigint | null
  dueAt: bigint | null
  endsAt: bigint | null
  periodStart: bigint | null
  periodTotal: bigint | null
}

export function trackingIdOf(memo: Value | undefined): string | null {
  const bytes = Buffer.from(memo as Uint8Array)
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  const content = bytes.subarray(0, end)
  const decoded = content.toString('utf8')
  if (end === 0 || content.includes(0) || !Buffer.from(decoded).equals(content)) return null
  return decoded
}

export const isCreated = ({ name }: ResolvedEvent): boolean =>
  /^(?:PaymentPolicy|ComposablePolicy)Created$/.test(name)
export const isDeleted = ({ name }: ResolvedEvent): boolean => name.endsWith('PolicyDeleted')
export const isStatus = ({ name }: ResolvedEvent): boolean => name.endsWith('PolicyStatusChanged')
const seconds = ({ at }: ResolvedEvent): number => Math.floor(at / 1000)
export const amountOf = ({ data }: ResolvedEvent): bigint => (data.amount ?? data.input_amount) as bigint
const paidAtOf = ({ data }: ResolvedEvent): bigint => data.timestamp as bigint

/** The Created event that began the incarnation in which an event stands: the latest at its position or before. */
export const createdBefore = (
  created: readonly ResolvedEvent[],
  event: ResolvedEvent,
): ResolvedEvent | undefined =>
  created
    .filter(each => compare(each, event) <= 0)
    .sort(compare)
    .at(-1)

/** @param named what names the policy and is valid. @returns undefined for a policy without a Created event */
export function policyOf(address: string, named: readonly ResolvedEvent[]): ModelPolicy | undefined {
  const created = named.filter(isCreated).sort(compare).at(-1)
  if (!created) return undefined
  const deleted = named.filter(isDeleted).sort(compare).at(-1)
  const incarnation = named.filter(event => compare(event, created) >= 0).sort(compare)
  const payments = incarnation.filter(isPayment)
  const lastPayment = payments.at(-1)
  const change = incarnation.findLast(isStatus)
  const { data } = created
  const lastPaidAt = lastPayment ? paidAtOf(lastPayment) : null
  const type = data.policy_type as Enum
  const times = [BigInt(seconds(created)), ...(change ? [BigInt(seconds(change))] : [])]
  if (lastPaidAt !== null) times.push(lastPaidAt)
  const decides = change && (!lastPayment || compare(change, lastPayment) > 0)
  const followed = isPaidUp(type, payments.length) ? 'completed' : 'active'
  const nextPaymentDue = dueOf(type, lastPaidAt)
  return {
    address,
    live: !deleted || compare(created, deleted) > 0,
    family: data.composable_policy === undefined ? 'regular' : 'composable',
    userPayment: text(data.user_payment),
    gateway: text(data.gateway),
    recipient: text(data.recipient),
    trackingId: trackingIdOf(data.memo),
    policyId: text(data.policy_id),
    inputMint: data.forward_config ? text((data.forward_config as Fields).input_mint) : null,
    createdAt: seconds(created),
    updatedAt: times.reduce((a, b) => (b > a ? b : a)),
    paymentCount: payments.length,
    totalPaid: payments.reduce((sum, payment) => sum + amountOf(payment), 0n),
    status: decides ? (change.data.new_status as Enum).variant.toLowerCase() : followed,
    nextPaymentDue,
    ...datesOf(type, { nextPaymentDue, createdAt: BigInt(seconds(created)), isPaid: payments.length > 0 }),
    ...periodOf(type, payments),
  }
}

function isPaidUp({ variant, payload }: Enum, count: number): boolean {
  const terms = payload as Fields
  if (variant === 'OneTime' || variant === 'UpTo') return count > 0
  if (variant === 'Milestone')
    return (terms.current_milestone as number) + count >= (terms.total_milestones as number)
  if (variant !== 'Subscription' || terms.max_renewals === null) return false
  return count >= (terms.max_renewals as number) || (terms.auto_renew === false && count === 1)
}

function dueOf({ variant, payload }: Enum, lastPaidAt: bigint | null): bigint | null {
  if (variant !== 'Subscription') return null
  const { next_payment_due: createdDue, payment_frequency: frequency } = payload as Fields
  const { variant: name, payload: interval } = frequency as Enum
  return nextDue(createdDue as bigint, { name, seconds: interval as bigint | null }, lastPaidAt)
}

/** Only dates from 1970 to 9999 are due; an end is the first second at which the program takes no payment. */
function datesOf(
  { variant, payload }: Enum,
  {
    nextPaymentDue: next,
    createdAt,
    isPaid,
  }: { nextPaymentDue: bigint | null; createdAt: bigint; isPaid: boolean },
): { dueAt: bigint | null; endsAt: bigint | null } {
  const terms = payload as Record<string, bigint>
  switch (variant) {
    case 'Subscription':
      return { dueAt: next !== null && isServable(next) ? next : null, endsAt: null }
    case 'OneTime':
      return {
        dueAt: isPaid ? null : terms.due_date! > 0n ? terms.due_date! : createdAt,
        endsAt: (terms.expiry_date ?? null) === null ? null : terms.expiry_date! + 1n,
      }
    case 'UpTo':
      return { dueAt: null, endsAt: terms.deadline! }
    default:
      return { dueAt: null, endsAt: null }
  }
}

function periodOf({ variant, payload }: Enum, payments: readonly ResolvedEvent[]) {
  if (variant !== 'PayAsYouGo') return { periodStart: null, periodTotal: null }
  const terms = payload as Record<string, bigint>
  let [start, total] = [terms.current_period_start!, terms.current_period_total!]
  for (const payment of payments) {
    const isNew = paidAtOf(payment) >= start + terms.period_length_seconds!
    total = isNew ? amountOf(payment) : total + amountOf(payment)
    if (isNew) start = paidAtOf(payment)
  }
  return { periodStart: start, periodTotal: total }
}
