// What a page of a replay writes for its webhook: deliveries of entries and retractions, and new cycles of what turning off cancelled.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { renderRetractionMessage, RETRACTION_MESSAGE_TYPE, route } from '@payment-tracking/domain'
import { PAGE_LIMITS, runIn, sql, type Store, type Tx } from '../../core/database/sql.js'
import { readCommittedPayments } from '../../core/tables/committed-payments.js'
import { DELIVERY_STATE } from '../../core/tables/delivery-rows.js'
import { readFeedEntriesOf, type FeedEntry } from '../../messages/routing/feed-entries.js'
import { insertMessages, orderKeyOf } from '../../messages/routing/insert-messages.js'
import type { WebhookWork } from '../webhook-page.js'
import { openCycle } from '../open-cycle.js'
import { countRedeliveries } from './redeliver.js'
import { RoutedMessages, type Message } from '../../messages/routing/routed-messages.js'
import type { NotifiedWebhook } from '../../messages/routing/notified-webhooks.js'
import { readWaitingDetails } from '../../messages/waiting/waiting-details.js'

/** Makes the deliveries of some entries, and sends again what was cancelled. */
export async function replayEntries(
  store: Store,
  work: WebhookWork,
  webhook: NotifiedWebhook,
  entries: readonly FeedEntry[],
): Promise<DeliveryRef[]> {
  const { database } = store
  return database.transaction(async tx => {
    const routed = new RoutedMessages()
    const sent: { eventId: string; type: string }[] = []
    const add = (message: Message, final: boolean): void => {
      if (routed.add(webhook, message, final) === 'send')
        sent.push({ eventId: message.eventId!, type: message.type })
    }
    const decided = await decide(tx, webhook, entries)
    const isUnsure = ({ way }: Decided) => way === 'await-details'
    const unsure = decided.filter(isUnsure).map(({ row }) => ({ ...row, body: null }))
    // Whoever stores the missing details releases what waits for them: from here until the commit, nobody does.
    if (unsure.length > 0) await tx.$executeRaw(sql`select from stream_head where id = 1 for share`)
    const again = unsure.length === 0 ? [] : await decide(tx, webhook, unsure)
    for (const each of decided) {
      const { message, final } = isUnsure(each)
        ? again.find(({ row }) => row.messageId === each.row.messageId)!
        : each
      add(message, final)
    }
    const opened = await openCancelled(store, work, webhook, sent)
    return [...opened, ...(await counted(store, webhook, await routed.write(tx)))]
  }, PAGE_LIMITS)
}

interface Decided {
  row: FeedEntry
  way: ReturnType<typeof route>
  message: Message
  final: boolean
}

async function decide(tx: Tx, webhook: NotifiedWebhook, entries: readonly FeedEntry[]): Promise<Decided[]> {
  const rows = entries.map(row => ({
    ...row,
    row,
    webhookId: webhook.id,
    waitsFor: 'details' as const,
    ctid: '',
    webhook,
    isDeleted: false,
  }))
  const [head] = await tx.$queryRaw<{ finalizedSlot: bigint }[]>(
    sql`select finalized_slot as "finalizedSlot" from stream_head where id = 1`,
  )
  const detailsOf = await readWaitingDetails(tx, rows, ({ slot }) => BigInt(slot) <= head!.finalizedSlot)
  return rows.map(waiting => {
    const { message, final } = detailsOf(waiting)
    return { row: waiting.row, way: route(webhook, message, message.known, final), message, final }
  })
}

/** Opens a cycle for what turning off cancelled. What the chain took back is cancelled too, and is no entry. */
async function openCancelled(
  store: Store,
  { addedAt }: WebhookWork,
  { id, activation }: NotifiedWebhook,
  sent: readonly { eventId: string; type: string }[],
): Promise<DeliveryRef[]> {
  if (sent.length === 0) return []
  const rows = await store.database.read<{ id: bigint }>(sql`
    select d.id from unnest(${sent.map(({ eventId }) => eventId)}::uuid[], ${sent.map(({ type }) => type)}::text[]) as s (event_id, type)
      join deliveries d on d.event_id = s.event_id and d.webhook_id = ${id} and d.type = s.type
      join webhooks w on w.id = d.webhook_id
     where ${DELIVERY_STATE} = 'cancelled'`)
  return openCycle(store, {
    ids: rows.map(row => row.id),
    isCounted: true,
    states: ['cancelled'],
    activation,
    openedBefore: addedAt,
  })
}

async function counted(
  store: Store,
  { gateway }: NotifiedWebhook,
  made: DeliveryRef[],
): Promise<DeliveryRef[]> {
  await countRedeliveries(store, gateway, made.length)
  return made
}

/** A cancelled delivery of an event. */
export interface Cancelled {
  id: string
  eventId: string
  type: string
}

/** Sends again what was cancelled, by the filters of now. What the chain took back since is no entry. */
export async function replayCancelled(
  store: Store,
  work: WebhookWork,
  webhook: NotifiedWebhook,
  cancelled: readonly Cancelled[],
): Promise<DeliveryRef[]> {
  const isRetraction = ({ type }: Cancelled) => type === RETRACTION_MESSAGE_TYPE
  const retractions = cancelled.filter(isRetraction).map(({ eventId }) => eventId)
  const of = new Map(cancelled.map(each => [`${each.eventId} ${each.type}`, each]))
  const entries = await store.database.transaction(tx =>
    readFeedEntriesOf(tx, webhook.gateway, [...new Set(cancelled.map(({ eventId }) => eventId))]),
  )
  const wanted = entries.filter(({ eventId, type, isNotified }) => isNotified && of.has(`${eventId} ${type}`))
  return [
    ...(await replayEntries(store, work, webhook, wanted)),
    ...(retractions.length === 0 ? [] : await replayRetractions(store, work, webhook, retractions)),
  ]
}

/** Makes the deliveries of retractions, and sends again what was cancelled. */
export async function replayRetractions(
  store: Store,
  work: WebhookWork,
  webhook: NotifiedWebhook,
  ids: readonly string[],
): Promise<DeliveryRef[]> {
  return store.database.transaction(async tx => {
    const payments = await readCommittedPayments(runIn(tx), sql`e.id = any(${[...ids]}::uuid[])`)
    const { id: webhookId, activation, orderedBy } = webhook
    const sent = ids.map(eventId => ({ eventId, type: RETRACTION_MESSAGE_TYPE }))
    const opened = await openCancelled(store, work, webhook, sent)
    const made = await insertMessages(
      tx,
      payments.map(({ trackingId }, at) => ({
        webhookId,
        message: at + 1,
        activation,
        orderKey: orderKeyOf(orderedBy, trackingId),
      })),
      payments.map(payment => ({
        ...renderRetractionMessage(payment),
        gateway: payment.gateway,
        eventId: payment.eventId,
      })),
    )
    return [...opened, ...(await counted(store, webhook, made))]
  }, PAGE_LIMITS)
}
