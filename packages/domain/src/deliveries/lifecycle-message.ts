// What happens to a policy beside its payments, as webhooks are notified of it.
import { createHash } from 'node:crypto'
import type { ChainEvent, ChainOrder } from '../messages/chain-event.js'
import type { DeliveryMessage } from './delivery-message.js'
import { isOfIncarnation } from '../state/incarnation.js'
import type { LifecycleType } from '../policies/lifecycle-types.js'
import type { PolicyState } from '../state/policy-state.js'

/** A policy when the message is rendered; null is not known. */
export interface LifecyclePolicy {
  address: string
  incarnationStart: string
  family: string
  policyId: number | null
  gateway: string
  recipient: string | null
  trackingId: string | null
  tokenMint: string | null
  payer: string | null
  status: string | null
  paymentCount: bigint
  totalPaid: bigint
  /** Unix seconds */
  nextPaymentDue: bigint | null
}

/** The event of the chain that caused a message; null for time. */
export interface LifecycleCause {
  eventId: string
  signature: string
  slot: number
}

export interface Lifecycle {
  type: LifecycleType
  /** makes the message the only one of its type and incarnation: the causing event, or a due date */
  key: string
  /** ISO 8601 */
  at: string
  /** of a due date or an end, Unix seconds */
  dueAt: bigint | null
  cause: LifecycleCause | null
  /** of what time or the nodes cause: whether the due payment can execute, as JSON text */
  dueRisk?: string
  /** the cause of a risk that is over */
  clearedCause?: string
  /** a position at which the change is stored, in decimal digits; absent for time */
  position?: string
}

/** The id of the event of an order, without dashes: it stays when a copy moves the event. */
export const eventKey = (order: ChainOrder): string => order.slice(-32)

/** What each event says at most once of a policy, whatever incarnation it is counted to. */
const OF_ONE_EVENT: ReadonlySet<LifecycleType> = new Set([
  'subscription.created',
  'subscription.paused',
  'subscription.resumed',
  'subscription.deleted',
])

/**
 * One id for each policy, type and key: a change that is sent again has the same id. A completion and a date are of an
 * incarnation, which is known by its Created event, because a copy can give that event another position. What an event
 * says is sent once, also where the Created event before it was retracted and appeared again.
 */
export function lifecycleMessageId(
  { address, incarnationStart }: Pick<LifecyclePolicy, 'address' | 'incarnationStart'>,
  { type, key }: Pick<Lifecycle, 'type' | 'key'>,
): string {
  const identity = OF_ONE_EVENT.has(type)
    ? [type, address, key]
    : [type, address, eventKey(incarnationStart), key]
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex')
  return `msg_${digest.slice(0, 40)}lifecycle`
}

type LifecycleDetails = Pick<Lifecycle, 'dueAt' | 'cause' | 'dueRisk' | 'clearedCause'>

const text = (value: string | null): string => JSON.stringify(value)

/** The fields of `data` in the order in which they are written, as JSON text; what is undefined is left out. */
const LIFECYCLE_DATA = {
  trackingId: ({ trackingId }) => text(trackingId),
  paymentPolicy: ({ address }) => text(address),
  family: ({ family }) => text(family),
  policyId: ({ policyId }) => String(policyId),
  gateway: ({ gateway }) => text(gateway),
  recipient: ({ recipient }) => text(recipient),
  payer: ({ payer }) => text(payer),
  tokenMint: ({ tokenMint }) => text(tokenMint),
  status: ({ status }) => text(status),
  paymentCount: ({ paymentCount }) => String(paymentCount),
  totalPaid: ({ totalPaid }) => String(totalPaid),
  totalPaidString: ({ totalPaid }) => text(String(totalPaid)),
  nextPaymentDue: ({ nextPaymentDue }) => String(nextPaymentDue),
  dueAt: (_, { dueAt }) => String(dueAt),
  eventId: (_, { cause }) => text(cause?.eventId ?? null),
  signature: (_, { cause }) => text(cause?.signature ?? null),
  slot: (_, { cause }) => String(cause?.slot ?? null),
  dueRisk: (_, { dueRisk }) => dueRisk,
  clearedCause: (_, { clearedCause }) => (clearedCause === undefined ? undefined : text(clearedCause)),
} satisfies Record<string, (policy: LifecyclePolicy, lifecycle: LifecycleDetails) => string | undefined>
export type LifecycleDataField = keyof typeof LIFECYCLE_DATA
const LIFECYCLE_FIELDS = Object.entries(LIFECYCLE_DATA)

/** `data` of a message, as JSON text. */
export function renderLifecycleData(policy: LifecyclePolicy, lifecycle: LifecycleDetails): string {
  const data = LIFECYCLE_FIELDS.flatMap(([name, write]) => {
    const value = write(policy, lifecycle)
    return value === undefined ? [] : [`"${name}":${value}`]
  })
  return `{${data.join(',')}}`
}

export function renderLifecycleMessage(policy: LifecyclePolicy, lifecycle: Lifecycle): DeliveryMessage {
  const { type, at, position } = lifecycle
  const id = lifecycleMessageId(policy, lifecycle)
  const data = renderLifecycleData(policy, lifecycle)
  return {
    id,
    type,
    body: `{"id":"${id}","type":"${type}","timestamp":${JSON.stringify(at)},"position":${position ?? 'null'},"data":${data}}`,
  }
}

/** By the status that an event changed a policy to. */
export const STATUS_TYPES: Readonly<Record<string, LifecycleType>> = {
  Paused: 'subscription.paused',
  Active: 'subscription.resumed',
  Completed: 'subscription.completed',
}

/** A Created event that gets another position still begins the same incarnation. */
const isSameIncarnation = (before: ChainOrder | null, after: ChainOrder): boolean =>
  before !== null && eventKey(before) === eventKey(after)

/** Of a stored event, what a message says of its cause. */
export type CausingEvent = Pick<ChainEvent, 'id' | 'signature' | 'slot' | 'occurredAt'>

/** A policy before or after a batch, with the status that is served. */
export interface StatedPolicy {
  state: PolicyState
  status: string | null
}

const isCompletedNow = (was: StatedPolicy | undefined, { state, status }: StatedPolicy): boolean =>
  status === 'completed' &&
  !(was?.status === 'completed' && isSameIncarnation(was.state.incarnationStart, state.incarnationStart!))

/**
 * The stored event that completed a policy without new events: it moved into the incarnation, or what undid it was
 * retracted.
 * @returns null where new events say the completion, or nothing was completed
 */
export function storedCompletion(
  was: StatedPolicy | undefined,
  is: StatedPolicy,
  events: readonly ChainEvent[],
): ChainOrder | null {
  const { incarnationStart, gateway, lastPaymentOrder, statusOrder } = is.state
  if (events.length > 0 || incarnationStart === null || gateway === null || !isCompletedNow(was, is))
    return null
  return lastPaymentOrder ?? statusOrder ?? incarnationStart
}

/**
 * What new events say of a policy. Events that came before the policy's Created are sent with it: until then nobody
 * knew whom to notify.
 * @param was the policy before these events; undefined where nothing was known
 * @param is the policy after them
 * @param events the new valid ones of the policy
 * @param completing the event of `storedCompletion`
 */
export function lifecyclesOf(
  was: StatedPolicy | undefined,
  is: StatedPolicy,
  events: readonly ChainEvent[],
  completing?: CausingEvent,
): Lifecycle[] {
  const after = is.state
  const start = after.incarnationStart
  if (start === null || after.gateway === null || (events.length === 0 && !completing)) return []
  const byOrder = new Map(events.map(event => [event.order, event]))
  const created = byOrder.get(start)
  const lifecycles: Lifecycle[] = []
  const add = (type: LifecycleType, key: string, event: CausingEvent | undefined) => {
    const cause = event ?? created ?? completing ?? events.at(-1)!
    lifecycles.push({
      type,
      key,
      at: cause.occurredAt.toISOString(),
      dueAt: null,
      cause: { eventId: cause.id, signature: cause.signature, slot: cause.slot },
    })
  }
  if (created) add('subscription.created', eventKey(start), created)
  for (const event of events) {
    const { effect, order } = event
    const type = effect.kind === 'policy-status-changed' ? STATUS_TYPES[effect.newStatus] : undefined
    if (type && type !== 'subscription.completed' && isOfIncarnation(start, order))
      add(type, eventKey(order), event)
    if (effect.kind === 'policy-deleted' && order > start) add('subscription.deleted', eventKey(order), event)
  }
  if (created) {
    const { statusOrder, deletedOrder, changedStatus } = after
    const type = STATUS_TYPES[changedStatus ?? '']
    const isLate = (order: ChainOrder | null): order is ChainOrder => order !== null && !byOrder.has(order)
    if (type === 'subscription.paused' && isLate(statusOrder) && isOfIncarnation(start, statusOrder))
      add(type, eventKey(statusOrder), undefined)
    if (isLate(deletedOrder) && deletedOrder > start)
      add('subscription.deleted', eventKey(deletedOrder), undefined)
  }
  if (isCompletedNow(was, is))
    add(
      'subscription.completed',
      'completed',
      byOrder.get(after.lastPaymentOrder ?? '') ?? byOrder.get(after.statusOrder ?? ''),
    )
  return lifecycles
}
