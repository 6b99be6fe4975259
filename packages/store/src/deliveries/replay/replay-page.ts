// A page of `replay-missing.ts`. What it writes and how far it came commit together, so a page that is lost leaves nothing. A page
// that is done again changes nothing: the keys of deliveries refuse a second one of an event.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { PAYMENT_MESSAGE_TYPE, RETRACTION_MESSAGE_TYPE } from '@payment-tracking/domain'
import { bigints, raw, sql, type Store } from '../../core/database/sql.js'
import { isolate } from '../../core/quarantine/isolate.js'
import { DELIVERY_FINISHED_AT } from '../../core/tables/delivery-rows.js'
import { deliveriesIn } from '../../core/tables/delivery-ranges.js'
import { readFeedEntries } from '../../messages/routing/feed-entries.js'
import { readRedeliveryQuota } from './redeliver.js'
import {
  readCursor,
  REPLAYED_TYPES,
  writeCursor,
  type ReplayKey,
  type ReplayState,
} from './replay-missing.js'
import { replayCancelled, replayEntries, replayRetractions, type Cancelled } from './replay-entries.js'
import type { WebhookPage, WebhookWork } from '../webhook-page.js'
import { NOTIFIED_WEBHOOK, type NotifiedWebhook } from '../../messages/routing/notified-webhooks.js'

/** For each delivery of a page, how many deliveries it reads: those of other times are passed over. */
const SCANNED_FOR_EACH = 10

export async function replayPage(store: Store, work: WebhookWork, atMost: number): Promise<WebhookPage> {
  const state = work.state as ReplayState
  if (state.last === undefined) return findSpan(store, work, state)
  const webhook = await readWebhook(store, work.id)
  if (!webhook.active) return end(work, state, [])
  const quota = await readRedeliveryQuota(store, work.gateway)
  const limit = Math.min(atMost, quota.remaining)
  const key = readCursor(work.cursor)!
  if (limit === 0) {
    const goesOnAt = new Date(Date.now() + quota.goesOnInSeconds * 1_000).toISOString()
    return { ...continueWork(work, { ...state, goesOnAt }, key, []), delaySeconds: quota.goesOnInSeconds }
  }
  const page = { work, state: { ...state, goesOnAt: undefined }, webhook, limit }
  if (key.phase === 'cancelled') return cancelledPage(store, { ...page, key })
  return key.phase === 'entries'
    ? entriesPage(store, { ...page, key })
    : retractionPage(store, { ...page, key })
}

/**
 * Finds the positions of the span. Waits for the writer that may have seen the webhook off: of what commits later, ingest notifies.
 * The next writer waits for one more statement, of some probes.
 */
async function findSpan(store: Store, work: WebhookWork, state: ReplayState): Promise<WebhookPage> {
  const { database } = store
  const [head] = await database.write<{ position: bigint }>(
    sql`select position from stream_head where id = 1 for share`,
  )
  // The feed lists a batch after the batch's last position, and work that follows it there too.
  const [span] = await database.read<{ first: bigint | null; last: bigint | null; sequence: bigint }>(sql`
    select s.*, coalesce((select max(f.sequence) from messages f
                           where f.gateway = ${work.gateway} and f.sequence > 0 and f.event_id is not null
                             and f.position = s.first and f.notified_at < ${state.since}::timestamptz), 0) as sequence
      from (select (select first_position - 1 from ingest_batches where committed_at >= ${state.since}::timestamptz
             order by committed_at, first_position limit 1) as first,
           (select last_position from ingest_batches where committed_at <= ${state.until}::timestamptz
             order by committed_at desc, first_position desc limit 1) as last) s`)
  const last = state.until === null ? head!.position : (span!.last ?? 0n)
  const first = span!.first ?? last
  const found = { ...state, first: first.toString(), last: last.toString() }
  return continueWork(work, found, { phase: 'cancelled', delivery: 0n, sequence: span!.sequence }, [])
}

interface Page<Phase extends ReplayKey['phase']> {
  work: WebhookWork
  state: ReplayState
  webhook: NotifiedWebhook
  key: Extract<ReplayKey, { phase: Phase }>
  limit: number
}

/** What the webhook asks for, of what was asked to be replayed. */
function typesOf({ state, webhook }: Pick<Page<'entries'>, 'state' | 'webhook'>): string[] {
  const asked = webhook.eventTypes?.length ? webhook.eventTypes : [PAYMENT_MESSAGE_TYPE]
  return (state.types ?? REPLAYED_TYPES).filter(type => asked.includes(type))
}

/**
 * What was cancelled in the span, of events that were stored before it: they were open when the webhook was turned off, or became
 * final or known while it was off. Later events are entries.
 */
async function cancelledPage(store: Store, page: Page<'cancelled'>): Promise<WebhookPage> {
  const { work, state, webhook, key, limit } = page
  const most = limit * SCANNED_FOR_EACH
  const isEarlier = sql`case when d.type = ${RETRACTION_MESSAGE_TYPE} then e.retracted_at < ${state.since}::timestamptz
                             else e.retracted_at is null and e.position <= ${state.first!}::bigint end`
  const scanned = deliveriesIn({ ...webhook, isActive: webhook.active }, ['cancelled'], {
    after: key.delivery,
    order: 'asc',
    limit: most,
    columns: sql`d.id`,
  })
  const [found] = await store.database.read<{
    fitting: Cancelled[] | null
    scanned: number
    last: bigint
  }>(sql`
    with scanned as (select l.id from ${scanned} l order by l.id limit ${most}),
         fitting as (select d.id, d.event_id, d.type
                       from scanned l join deliveries d on d.id = l.id join webhooks w on w.id = d.webhook_id
                       join events e on e.id = d.event_id
                      where d.type = any(${typesOf(page)}::text[]) and ${isEarlier}
                        and ${DELIVERY_FINISHED_AT} >= ${state.since}::timestamptz
                        and ${DELIVERY_FINISHED_AT} <= coalesce(${state.until}::timestamptz, ${raw("'infinity'")})
                      order by d.id limit ${limit})
    select (select json_agg(json_build_object('id', f.id::text, 'eventId', f.event_id, 'type', f.type) order by f.id)
              from fitting f) as fitting,
           (select count(*)::int from scanned) as scanned, coalesce((select max(id) from scanned), 0) as last`)
  const fitting = found!.fitting ?? []
  const deliveries = await isolate(store, 'replay-messages', keyed(webhook, fitting), some =>
    replayCancelled(
      store,
      work,
      webhook,
      some.map(({ of }) => of),
    ),
  )
  const isAll = fitting.length < limit && found!.scanned < most
  const next: ReplayKey = isAll
    ? { phase: 'entries', position: BigInt(state.first!), sequence: key.sequence }
    : { ...key, delivery: fitting.length === limit ? BigInt(fitting.at(-1)!.id) : found!.last }
  return continueWork(work, { ...state, looked: state.looked + fitting.length }, next, deliveries.flat())
}

async function entriesPage(store: Store, page: Page<'entries'>): Promise<WebhookPage> {
  const { work, state, webhook, key, limit } = page
  const of = { after: key, last: BigInt(state.last!), types: typesOf(page), limit }
  const entries = await store.database.transaction(tx => readFeedEntries(tx, webhook.gateway, of))
  const notified = entries.filter(({ isNotified }) => isNotified)
  const deliveries = await isolate(store, 'replay-messages', keyed(webhook, notified), some =>
    replayEntries(
      store,
      work,
      webhook,
      some.map(({ of }) => of),
    ),
  )
  const looked = state.looked + notified.length
  const next: ReplayKey =
    entries.length === limit
      ? { phase: 'entries', ...entries.at(-1)!.at }
      : { phase: 'retractions', at: state.since, eventId: '00000000-0000-0000-0000-000000000000' }
  return continueWork(work, { ...state, looked }, next, deliveries.flat())
}

/** As rows that can be quarantined. */
const keyed = <Row extends { eventId: string }>({ id }: NotifiedWebhook, rows: readonly Row[]) =>
  rows.map(of => ({ of, toString: () => `${id} ${of.eventId}` }))

/** Retracted payments of which the webhook was notified, or may have been. Hardly an event is retracted. */
async function retractionPage(store: Store, page: Page<'retractions'>): Promise<WebhookPage> {
  const { work, state, webhook, key, limit } = page
  if (!typesOf(page).includes(RETRACTION_MESSAGE_TYPE)) return end(work, state, [])
  const scanned = await store.database.read<{ eventId: string; at: string; isOwn: boolean }>(sql`
    select e.id as "eventId", e.retracted_at::text as at,
           e.gateway = ${webhook.gateway} and e.amount is not null and exists (
             select from deliveries d
              where d.event_id = e.id and d.webhook_id = ${webhook.id} and d.type = ${PAYMENT_MESSAGE_TYPE}
                and d.attempts_made > 0) as "isOwn"
      from events e
     where e.retracted_at is not null and (e.retracted_at, e.id) > (${key.at}::timestamptz, ${key.eventId}::uuid)
       and e.retracted_at <= coalesce(${state.until}::timestamptz, ${raw("'infinity'")})
     order by e.retracted_at, e.id limit ${limit}`)
  const own = scanned.filter(({ isOwn }) => isOwn)
  const deliveries = await isolate(store, 'replay-messages', keyed(webhook, own), some =>
    replayRetractions(
      store,
      work,
      webhook,
      some.map(({ of }) => of.eventId),
    ),
  )
  const now = { ...state, looked: state.looked + own.length }
  if (scanned.length < limit) return end(work, now, deliveries.flat())
  const { at, eventId } = scanned.at(-1)!
  return continueWork(
    work,
    now,
    { phase: 'retractions', at: at.replace(' ', 'T'), eventId },
    deliveries.flat(),
  )
}

async function readWebhook(store: Store, id: bigint): Promise<NotifiedWebhook> {
  const [webhook] = await store.database.read<NotifiedWebhook>(sql`
    select ${NOTIFIED_WEBHOOK} from webhooks w where w.id = any(${bigints([id])})`)
  return webhook!
}

const continueWork = (
  work: WebhookWork,
  state: ReplayState,
  key: ReplayKey,
  deliveries: DeliveryRef[],
): WebhookPage => ({
  done: [],
  continued: { ...work, cursor: writeCursor(key), state },
  handled: deliveries.length,
  deliveries,
  hasMore: true,
})

/** The row stays, and nobody takes it any more. */
const end = (work: WebhookWork, state: ReplayState, deliveries: DeliveryRef[]): WebhookPage => ({
  done: [],
  continued: { ...work, state: { ...state, endedAt: new Date().toISOString() } },
  handled: deliveries.length,
  deliveries,
  hasMore: false,
  delaySeconds: Infinity,
})
