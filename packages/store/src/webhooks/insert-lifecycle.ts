// Deliveries of life-cycle events of policies, in the transaction that stores the cause.
import type { DeliveryRef } from '@payment-tracking/contracts'
import {
  CHAIN_LIFECYCLE_TYPES,
  lifecyclesOf,
  judgeFilters,
  policyOutcome,
  renderLifecycleMessage,
  type ChainEvent,
  type DeliveryMessage,
  type LifecyclePolicy,
  type PolicyState,
  type UserPaymentState,
  type WebhookFilters,
} from '@payment-tracking/domain'
import type { Tx } from '../database/sql.js'
import { insertAwaitingFacts, type AwaitingFacts } from './awaiting-facts.js'
import { insertMessages } from './insert-deliveries.js'

export interface LifecycleWebhook {
  id: bigint
  gateway: string
  finality: string
  eventTypes: string[]
  filters: WebhookFilters | null
  ordered: boolean
}

export interface ChangedPolicies {
  /** new events that stand */
  events: readonly ChainEvent[]
  /** states before these events */
  before: readonly PolicyState[]
  policies: ReadonlyMap<string, PolicyState>
  userPayments: ReadonlyMap<string, UserPaymentState>
}

const TYPES = [...CHAIN_LIFECYCLE_TYPES]

function toPolicy(state: PolicyState, userPayments: ReadonlyMap<string, UserPaymentState>): LifecyclePolicy {
  const account = state.userPayment === null ? undefined : userPayments.get(state.userPayment)
  const outcome = policyOutcome(state)
  return {
    ...state,
    gateway: state.gateway!,
    incarnationStart: state.incarnationStart!,
    tokenMint: state.tokenMint ?? account?.tokenMint ?? null,
    payer: account?.owner ?? null,
    status: outcome.status,
    nextPaymentDue: outcome.nextPaymentDue,
  }
}

interface Told {
  message: DeliveryMessage & { eventId: string }
  slot: number
  webhooks: LifecycleWebhook[]
}

/**
 * Writes one delivery for each webhook that subscribed to a life-cycle event of its gateway's policies. Without
 * subscribers, one statement for any number of policies. Events for webhooks that wait for finality go to
 * lifecycle_awaiting_finality, and events that filters cannot judge yet go to deliveries_awaiting_facts.
 * @param isFinal whether an event is final already
 */
export async function insertLifecycle(
  tx: Tx,
  changed: ChangedPolicies,
  isFinal: (cause: { eventId: string; slot: number }) => boolean,
): Promise<DeliveryRef[]> {
  const gateways = new Set<string>()
  for (const { gateway } of changed.policies.values()) if (gateway !== null) gateways.add(gateway)
  if (gateways.size === 0) return []
  const webhooks = await tx.$queryRaw<LifecycleWebhook[]>`
    select id, gateway, finality, event_types as "eventTypes", filters, ordered from webhooks
     where gateway = any(${[...gateways]}::text[]) and active and deleted_at is null
       and event_types && ${TYPES}::text[]`
  if (webhooks.length === 0) return []

  const { told, unknown } = tellChanges(changed, webhooks)
  const now: Told[] = []
  const waiting: AwaitingFinality[] = []
  for (const each of told) {
    const final = isFinal({ eventId: each.message.eventId, slot: each.slot })
    const atOnce = each.webhooks.filter(({ finality }) => final || finality !== 'finalized')
    for (const webhook of each.webhooks)
      if (!atOnce.includes(webhook))
        waiting.push({ webhookId: webhook.id, message: each.message, slot: each.slot })
    if (atOnce.length > 0) now.push({ ...each, webhooks: atOnce })
  }
  await insertLifecycleAwaitingFinality(tx, waiting)
  await insertAwaitingFacts(tx, unknown)
  return insertMessages(
    tx,
    now.flatMap(({ webhooks: to }, index) =>
      to.map(({ id, ordered }) => ({ webhookId: id, message: index + 1, ordered })),
    ),
    now.map(({ message }) => message),
  )
}

function tellChanges(
  changed: ChangedPolicies,
  webhooks: readonly LifecycleWebhook[],
): { told: Told[]; unknown: AwaitingFacts[] } {
  const asked = new Set(webhooks.map(({ gateway }) => gateway))
  const before = new Map(changed.before.map(state => [state.address, state]))
  const eventsOf = new Map<string, ChainEvent[]>()
  for (const event of changed.events) {
    if (!('policy' in event.effect)) continue
    const events = eventsOf.get(event.effect.policy)
    if (events) events.push(event)
    else eventsOf.set(event.effect.policy, [event])
  }
  const told: Told[] = []
  const unknown: AwaitingFacts[] = []
  for (const [address, events] of eventsOf) {
    const after = changed.policies.get(address)
    if (!after?.gateway || !asked.has(after.gateway)) continue
    for (const lifecycle of lifecyclesOf(before.get(address), after, events)) {
      const policy = toPolicy(after, changed.userPayments)
      const { eventId, slot } = lifecycle.cause!
      const message = renderLifecycleMessage(policy, lifecycle)
      const to: LifecycleWebhook[] = []
      for (const webhook of webhooks) {
        if (webhook.gateway !== after.gateway || !webhook.eventTypes.includes(lifecycle.type)) continue
        const judged = judgeFilters(webhook.filters, policy)
        if (judged === 'passes') to.push(webhook)
        if (judged === 'unknown')
          unknown.push({ webhookId: webhook.id, messageId: message.id, eventId, policy: address, lifecycle })
      }
      if (to.length === 0) continue
      told.push({ message: { ...message, eventId }, slot, webhooks: to })
    }
  }
  return { told, unknown }
}

/** A life-cycle event that a webhook gets once the event is final. */
export interface AwaitingFinality {
  webhookId: bigint
  message: DeliveryMessage & { eventId: string }
  slot: number
}

export async function insertLifecycleAwaitingFinality(
  tx: Tx,
  waiting: readonly AwaitingFinality[],
): Promise<void> {
  if (waiting.length === 0) return
  await tx.$executeRaw`
    insert into lifecycle_awaiting_finality (webhook_id, message_id, event_id, slot, type, body)
    select * from unnest(${waiting.map(({ webhookId }) => webhookId.toString())}::bigint[],
                         ${waiting.map(({ message }) => message.id)}::text[],
                         ${waiting.map(({ message }) => message.eventId)}::uuid[],
                         ${waiting.map(({ slot }) => String(slot))}::bigint[],
                         ${waiting.map(({ message }) => message.type)}::text[],
                         ${waiting.map(({ message }) => message.body)}::text[])
    on conflict do nothing`
}

/**
 * Writes events that have become final, to active webhooks that waited for finality.
 * @param finalizedSlot null where the finalized slot did not move
 */
export async function releaseLifecycle(
  tx: Tx,
  { finalizedSlot, eventIds }: { finalizedSlot: bigint | null; eventIds: readonly string[] },
): Promise<DeliveryRef[]> {
  if (finalizedSlot === null && eventIds.length === 0) return []
  return tx.$queryRaw<DeliveryRef[]>`
    with released as (
      delete from lifecycle_awaiting_finality
       where slot <= ${finalizedSlot ?? 0n} or event_id = any(${[...eventIds]}::uuid[])
      returning webhook_id, event_id, message_id, type, body
    )
    insert into deliveries (webhook_id, event_id, message_id, type, body, ordered)
    select r.webhook_id, r.event_id, r.message_id, r.type, r.body, w.ordered
      from released r join webhooks w on w.id = r.webhook_id and w.active and w.deleted_at is null
    on conflict (webhook_id, message_id) do nothing
    returning id, webhook_id as "webhookId"`
}

/** Removes unsent life-cycle events of retracted transactions. */
export async function forgetLifecycle(tx: Tx, eventIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    delete from lifecycle_awaiting_finality where event_id = any(${[...eventIds]}::uuid[])`
  await tx.$executeRaw`delete from deliveries_awaiting_facts where event_id = any(${[...eventIds]}::uuid[])`
}
