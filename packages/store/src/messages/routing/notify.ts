import type { CommittedPayment, DeliveryRef } from '@payment-tracking/contracts'
import type { Lifecycle, LifecyclePolicy } from '@payment-tracking/domain'
import { PAGE_LIMITS, type Store, type Tx } from '../../core/database/sql.js'
import type { IsFinal } from '../../core/tables/finality.js'
import { messageOfLifecycle, messageOfPayment, ToldMessages, type Message } from './routed-messages.js'
import { readWebhooksOf, type WebhooksByGateway } from './notified-webhooks.js'

/** What happened to a policy, with the policy's figures after it. */
export interface PolicyLifecycle {
  policy: LifecyclePolicy
  lifecycle: Lifecycle
}

export interface Changes {
  payments: readonly CommittedPayment[]
  /** those of `payments` that are of earlier batches; default: none */
  late?: readonly CommittedPayment[]
  lifecycles: readonly PolicyLifecycle[]
  /** by event, when events are traced */
  traceParents?: ReadonlyMap<string, string> | undefined
  isFinal: IsFinal
  /** webhooks that were read before; `notify` reads the others */
  webhooks?: WebhooksByGateway
}

/**
 * Notifies the webhooks of each gateway of what is new, in the transaction that stores it: writes a delivery, or what waits, for
 * each webhook as `route` says. Existing rows stay as they are, so a replay adds none. One statement reads the webhooks of
 * all gateways (by webhooks_gateway_idx), one writes the log, one inserts what waits, one inserts deliveries.
 * @returns the new deliveries, for `enqueueDeliveries` after the commit
 */
export async function notify(
  tx: Tx,
  { payments, late = [], lifecycles, traceParents, isFinal, webhooks = new Map() }: Changes,
): Promise<DeliveryRef[]> {
  const gateways = [...payments, ...lifecycles.map(({ policy }) => policy)].map(({ gateway }) => gateway)
  const unread = [...new Set(gateways)].filter(gateway => !webhooks.has(gateway))
  const read = await readWebhooksOf(tx, unread)
  const routed = new ToldMessages()
  const add = (gateway: string, message: Message): void => {
    const { eventId, slot } = message
    const final = eventId === null || slot === null || isFinal({ eventId, slot })
    for (const webhook of (webhooks.get(gateway) ?? read.get(gateway))!) routed.add(webhook, message, final)
  }
  const isLate = new Set(late)
  for (const payment of payments) {
    const message = messageOfPayment(payment)
    routed.log(payment.gateway, message, !isLate.has(payment))
    add(payment.gateway, message)
  }
  for (const { policy, lifecycle } of lifecycles) {
    const message = messageOfLifecycle(policy, lifecycle)
    routed.log(policy.gateway, message)
    add(policy.gateway, message)
  }
  return routed.write(tx, traceParents)
}

/** `notify` in its own transaction, for payments that are already stored. None counts as final. */
export const insertDeliveries = (
  { database }: Store,
  payments: readonly CommittedPayment[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> =>
  database.transaction(
    tx => notify(tx, { payments, late: payments, lifecycles: [], traceParents, isFinal: () => false }),
    PAGE_LIMITS,
  )
