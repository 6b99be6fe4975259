// What a policy is, from all its valid events. Which of them count is restated here; what follows from them is the domain's rule.
import {
  applyPayment,
  emptyPolicy,
  orderOf,
  periodAtCreation,
  policyOutcome,
  readTrackingId,
  writeJson,
  type PolicyOutcome,
  type PolicyState,
} from '@payment-tracking/domain'
import { compare, isPayment, type ResolvedEvent } from './resolved-events.js'
import { text, type Enum, type Fields, type Value } from './said.js'

type Known = 'userPayment' | 'gateway' | 'recipient' | 'status'

/** A policy with a Created event. */
export type ModelPolicy = Omit<PolicyState & PolicyOutcome, Known | 'paymentCount'> &
  Record<Known, string> & { paymentCount: number }

export const trackingIdOf = (memo: Value | undefined): string | null => readTrackingId(memo as Uint8Array)

export const isCreated = ({ name }: ResolvedEvent): boolean =>
  /^(?:PaymentPolicy|ComposablePolicy)Created$/.test(name)
export const isDeleted = ({ name }: ResolvedEvent): boolean => name.endsWith('PolicyDeleted')
export const isStatus = ({ name }: ResolvedEvent): boolean => name.endsWith('PolicyStatusChanged')
const seconds = ({ at }: ResolvedEvent): bigint => BigInt(Math.floor(at / 1000))
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

/** The place in the chain alone: no two valid events of a policy share it. */
const placeOf = (event: ResolvedEvent | undefined): string | null => (event ? orderOf(event, '') : null)

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
  const policyType = writeJson(data.policy_type)
  const begun: PolicyState = {
    ...emptyPolicy(address),
    family: data.composable_policy === undefined ? 'regular' : 'composable',
    userPayment: text(data.user_payment),
    gateway: text(data.gateway),
    recipient: text(data.recipient),
    trackingId: trackingIdOf(data.memo),
    policyId: data.policy_id as number,
    tokenMint: data.forward_config ? text((data.forward_config as Fields).input_mint) : null,
    policyType,
    createdAt: seconds(created),
    incarnationStart: placeOf(created),
    deletedOrder: placeOf(deleted),
    lastPaymentOrder: placeOf(lastPayment),
    lastPaidAt: lastPayment ? paidAtOf(lastPayment) : null,
    statusOrder: placeOf(change),
    statusAt: change ? seconds(change) : null,
    changedStatus: change ? (change.data.new_status as Enum).variant : null,
    ...periodAtCreation(policyType),
  }
  const { periodStart, periodTotal } = payments.reduce(
    (state, event) =>
      applyPayment(state, { order: placeOf(event)!, amount: amountOf(event), paidAt: paidAtOf(event) }),
    begun,
  )
  const totalPaid = payments.reduce((sum, payment) => sum + amountOf(payment), 0n)
  const state = { ...begun, periodStart, periodTotal, totalPaid, paymentCount: BigInt(payments.length) }
  return { ...state, ...policyOutcome(state), paymentCount: payments.length } as ModelPolicy
}
