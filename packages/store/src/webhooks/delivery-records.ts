import type { DeliveryState } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { IS_OPEN } from './conditions.js'
import { IS_PAYMENT } from '../payment-names.js'
import { allOf } from '../reads/event-filter.js'

export interface DeliveryRecord {
  id: bigint
  webhookId: bigint
  messageId: string
  eventId: string | null
  type: string
  status: DeliveryState
  attempts: number
  createdAt: Date
  /** when the next try is due; null after the end of the delivery */
  nextAttemptAt: Date | null
  finishedAt: Date | null
  lastError: string | null
  heldReason: string | null
  /** the tracking ID of the delivery's payment or policy; null for all other deliveries */
  trackingId: string | null
  signature: string | null
}

export interface AttemptRecord {
  number: number
  startedAt: Date
  finishedAt: Date | null
  outcome: string | null
  statusCode: number | null
  error: string | null
  responseHeaders: Record<string, string> | null
  responseBody: string | null
}

/** The columns of a DeliveryRecord; `d` is the deliveries row. */
export const DELIVERY_COLUMNS = sql`
  d.id, d.webhook_id as "webhookId", d.message_id as "messageId", d.event_id as "eventId", d.type,
  d.state as status, d.attempts_made::int as attempts, d.created_at as "createdAt",
  case when ${IS_OPEN} then d.due_at end as "nextAttemptAt",
  d.finished_at as "finishedAt", d.last_error as "lastError", d.held_reason as "heldReason",
  case when d.type like 'subscription.%' then d.body::json -> 'data' ->> 'trackingId'
       else (select e.tracking_id from events e where e.id = d.event_id) end as "trackingId",
  (select e.signature from events e where e.id = d.event_id) as signature`

/** The tracking ID in a body, as JSON text. The index deliveries_of_time has this expression. */
const TRACKING_ID_TEXT = sql`substring(d.body from '"trackingId":("(?:[^"\\\\]|\\\\.)*")')`

export interface DeliveryPage {
  status?: DeliveryState | undefined
  trackingId?: string | undefined
  signature?: string | undefined
  limit: number
  offset: number
}

/**
 * Deliveries of one webhook, newest first; relies on deliveries_webhook_newest, and for a tracking ID or a signature on
 * the indexes of events by these, of deliveries by event, and deliveries_of_time.
 */
export const listDeliveries = (
  store: Store,
  webhookId: bigint,
  page: DeliveryPage,
): Promise<DeliveryRecord[]> => readDeliveries(store, sql`d.webhook_id = ${webhookId}`, page)

/** The same of all webhooks of a gateway that are not deleted. The caller gives a tracking ID or a signature. */
export const searchDeliveries = (
  store: Store,
  gateway: string,
  page: DeliveryPage,
): Promise<DeliveryRecord[]> =>
  readDeliveries(
    store,
    sql`d.webhook_id = any(array(select id from webhooks where gateway = ${gateway} and deleted_at is null))`,
    page,
  )

async function readDeliveries(
  { database }: Store,
  ofWebhooks: Sql,
  page: DeliveryPage,
): Promise<DeliveryRecord[]> {
  const conditions = [ofWebhooks]
  if (page.status !== undefined) conditions.push(sql`d.state = ${page.status}`)
  const { trackingId, signature } = page
  if (trackingId !== undefined)
    // Payments by their own memo, and what became of policies by the policy's. Messages caused by time have no event.
    conditions.push(sql`(d.event_id = any(array(
      select id from events where tracking_id = ${trackingId} union
      select e.id from policies p join events e on e.payment_policy = p.address
       where p.tracking_id = ${trackingId} and not ${IS_PAYMENT}))
      or d.event_id is null and d.type like 'subscription.%' and ${TRACKING_ID_TEXT} = ${JSON.stringify(trackingId)})`)
  if (signature !== undefined)
    conditions.push(sql`d.event_id = any(array(select id from events where signature = ${signature}))`)
  return database.read<DeliveryRecord>(sql`
      select ${DELIVERY_COLUMNS} from deliveries d
       where ${allOf(conditions)}
       order by d.id desc limit ${page.limit} offset ${page.offset}`)
}

/** @returns null when the webhook has no such delivery */
export async function getDelivery(
  { database }: Store,
  webhookId: bigint,
  id: bigint,
): Promise<(DeliveryRecord & { body: string; attemptLog: AttemptRecord[] }) | null> {
  const [row] = await database.read<DeliveryRecord & { body: string }>(sql`
      select ${DELIVERY_COLUMNS}, d.body from deliveries d where d.id = ${id} and d.webhook_id = ${webhookId}`)
  if (!row) return null
  const attemptLog = await database.read<AttemptRecord>(sql`
      select number::int as number, started_at as "startedAt", finished_at as "finishedAt", outcome,
             status_code::int as "statusCode", error, response_headers as "responseHeaders",
             response_body as "responseBody"
        from delivery_attempts where delivery_id = ${id} order by id`)
  return { ...row, attemptLog }
}
