// What the events of a transaction say of policies beside their payments, for webhooks and sockets.
import type { CommittedLifecycle } from '@payment-tracking/contracts'
import {
  eventIdOfOrder,
  lifecycleMessageId,
  lifecyclesOf,
  renderLifecycleData,
  storedCompletion,
  type CausingEvent,
  type UserPaymentState,
} from '@payment-tracking/domain'
import type { Tx } from '../../core/database/sql.js'
import type { PolicyLifecycle } from '../../messages/routing/notify.js'
import type { FoldedPolicy } from '../../core/tables/policies.js'
import { readUserPayments } from '../../core/tables/user-payments.js'

/**
 * @param preloaded user payments that were read before; the function reads the others
 * @param position the last position after the transaction: whoever knows it knows these changes
 * @param completing the result of `readCompleting`; by default nobody is notified of a policy without new events
 */
export async function collectLifecycles(
  tx: Tx,
  policies: readonly FoldedPolicy[],
  preloaded: ReadonlyMap<string, UserPaymentState>,
  position: bigint,
  completing: ReadonlyMap<FoldedPolicy, CausingEvent> = new Map(),
): Promise<PolicyLifecycle[]> {
  const changed = policies.flatMap(policy => {
    const lifecycles = lifecyclesOf(policy.before, afterOf(policy), policy.events, completing.get(policy))
    return lifecycles.length === 0 ? [] : [{ policy, lifecycles }]
  })
  const unread = changed.flatMap(({ policy: { after } }) =>
    after.userPayment !== null && !preloaded.has(after.userPayment) ? [after.userPayment] : [],
  )
  const read = await readUserPayments(tx, unread)
  const accounts = new Map([...preloaded, ...read.map(account => [account.address, account] as const)])
  return changed.flatMap(({ policy: { after, outcome }, lifecycles }) => {
    const account = after.userPayment === null ? undefined : accounts.get(after.userPayment)
    const policy = {
      ...after,
      gateway: after.gateway!,
      incarnationStart: after.incarnationStart!,
      tokenMint: after.tokenMint ?? account?.tokenMint ?? null,
      payer: account?.owner ?? null,
      status: outcome.status,
      nextPaymentDue: outcome.nextPaymentDue,
    }
    const at = { position: position.toString() }
    return lifecycles.map(lifecycle => ({ policy, lifecycle: { ...lifecycle, ...at } }))
  })
}

const afterOf = ({ after, outcome }: FoldedPolicy) => ({ state: after, status: outcome.status })

/**
 * The stored events that completed policies without new events. Most batches have none, and read nothing. Pages of a
 * rebuild do not ask: what a rebuild finds completed happened long before.
 */
export async function readCompleting(
  tx: Tx,
  policies: readonly FoldedPolicy[],
): Promise<ReadonlyMap<FoldedPolicy, CausingEvent>> {
  const ids = new Map<FoldedPolicy, string>()
  for (const policy of policies) {
    const order = storedCompletion(policy.before, afterOf(policy), policy.events)
    if (order !== null) ids.set(policy, eventIdOfOrder(order))
  }
  if (ids.size === 0) return new Map()
  const rows = await tx.$queryRaw<CausingEvent[]>`
    select id, signature, slot::float8 as slot, occurred_at as "occurredAt" from events
     where id = any(${[...new Set(ids.values())]}::uuid[])`
  const events = new Map(rows.map(event => [event.id, event]))
  return new Map([...ids].flatMap(([policy, id]) => (events.has(id) ? [[policy, events.get(id)!]] : [])))
}

/** The events that caused messages. */
export const causesOf = (lifecycles: readonly PolicyLifecycle[]): string[] =>
  lifecycles.flatMap(({ lifecycle: { cause } }) => cause?.eventId ?? [])

/** For sockets: a client can subscribe only to a policy with a tracking ID. */
export const toCommitted = (lifecycles: readonly PolicyLifecycle[]): CommittedLifecycle[] =>
  lifecycles.flatMap(({ policy, lifecycle }) => {
    const { trackingId, recipient, address: paymentPolicy } = policy
    if (trackingId === null) return []
    const [id, data] = [lifecycleMessageId(policy, lifecycle), renderLifecycleData(policy, lifecycle)]
    return [{ id, type: lifecycle.type, trackingId, recipient, paymentPolicy, data }]
  })
