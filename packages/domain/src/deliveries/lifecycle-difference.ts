// What happened to a policy between two readings of it, as sockets are notified.
import type { ChainOrder } from '../messages/chain-event.js'
import { isOfIncarnation } from '../state/incarnation.js'
import { eventKey, STATUS_TYPES, type LifecyclePolicy } from './lifecycle-message.js'
import type { LifecycleType } from '../policies/lifecycle-types.js'

export interface TrackedPolicy extends LifecyclePolicy {
  deletedOrder: ChainOrder | null
  statusOrder: ChainOrder | null
  lastPaymentOrder: ChainOrder | null
  changedStatus: string | null
  live: boolean
  /** dates that are near, passed or over: `<type> <Unix seconds>` */
  notices: readonly string[]
}

/** The keys are those of `Lifecycle`: sockets and webhooks name a change by the same id. */
export interface LifecycleDifference {
  type: LifecycleType
  key: string
  /** Unix seconds; null for what an event caused */
  dueAt: bigint | null
  /** the order of the causing event; null for time, and where the event is not known */
  order: ChainOrder | null
}

const isAfter = (order: ChainOrder | null, before: ChainOrder | null | undefined): order is ChainOrder =>
  order !== null && (before === null || before === undefined || order > before)

/**
 * Of several changes of one kind between two checks, the last is sent. A retraction sends nothing: it takes chain positions
 * back.
 * @param before undefined for a policy that did not exist at the check before
 */
export function lifecyclesBetween(
  before: TrackedPolicy | undefined,
  after: TrackedPolicy,
): LifecycleDifference[] {
  const start = after.incarnationStart
  const differences: LifecycleDifference[] = []
  const add = (type: LifecycleType, key: string, order: ChainOrder | null, dueAt: bigint | null = null) =>
    differences.push({ type, key, order, dueAt })
  const isSame = before?.incarnationStart === start
  if (isAfter(start, before?.incarnationStart)) add('subscription.created', eventKey(start), start)
  const { statusOrder, deletedOrder, changedStatus } = after
  const changed = STATUS_TYPES[changedStatus ?? '']
  if (
    changed !== undefined &&
    changed !== 'subscription.completed' &&
    isAfter(statusOrder, before?.statusOrder) &&
    isOfIncarnation(start, statusOrder)
  )
    add(changed, eventKey(statusOrder), statusOrder)
  if (after.status === 'completed' && !(isSame && before.status === 'completed'))
    add('subscription.completed', 'completed', after.lastPaymentOrder ?? statusOrder)
  if (!after.live && isAfter(deletedOrder, before?.deletedOrder) && deletedOrder > start)
    add('subscription.deleted', eventKey(deletedOrder), deletedOrder)
  const known = isSame ? before.notices : []
  for (const notice of after.notices) {
    if (known.includes(notice)) continue
    const [type, at] = notice.split(' ') as [LifecycleType, string]
    add(type, at, null, BigInt(at))
  }
  return differences
}

/** The id of the event that an order ends with. */
export function eventIdOfOrder(order: ChainOrder): string {
  const hex = eventKey(order)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
