import { DELIVERY_STATES, type DeliveryState } from '@payment-tracking/domain'
import { allOf, join, raw, sql, type DeliveryAttempt, type Sql, type Store } from '../../core/database/sql.js'
import {
  ATTEMPTS_KEPT,
  BODY,
  CANCELLED_WHY,
  DELIVERY_FINISHED_AT,
  DELIVERY_STATE,
  IS_ACTIVE,
  IS_CANCELLED_UNWRITTEN,
  IS_LIVE,
  IS_NO_PAYMENT,
  IS_OPEN,
  IS_RECOVERABLE,
  MESSAGE_ID,
} from '../../core/tables/delivery-rows.js'
import {
  deliveriesIn,
  readActivation,
  readActivations,
  type WebhookActivation,
} from '../../core/tables/delivery-ranges.js'
import { hasOwnTrackingId, trackingIdText } from '../../core/tables/messages.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'

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
  /** how many requests there may be at the end of its cycle */
  triesAllowed: number
  /** cycles follow by themselves */
  recovers: boolean
  /** its endpoint fails */
  isFailing: boolean
  finishedAt: Date | null
  lastError: string | null
  heldReason: string | null
  /** the tracking ID of the delivery's payment or policy; null for all other deliveries */
  trackingId: string | null
  signature: string | null
}

export interface AttemptRecord extends Omit<DeliveryAttempt, 'deliveryId' | 'signedBy' | 'responseHeaders'> {
  responseHeaders: Record<string, string> | null
}

/** The columns of a DeliveryRecord; `d` is the deliveries row, `w` its webhook. */
export const DELIVERY_COLUMNS = sql`
  d.id, d.webhook_id as "webhookId", ${MESSAGE_ID} as "messageId", d.event_id as "eventId", d.type,
  ${DELIVERY_STATE} as status, d.attempts_made::int as attempts, d.created_at as "createdAt",
  case when ${IS_OPEN} and ${IS_LIVE} then d.due_at end as "nextAttemptAt",
  d.tries_allowed::int as "triesAllowed", w.failing_since is not null as "isFailing",
  w.recover and (${IS_OPEN} and ${IS_LIVE} or ${IS_ACTIVE} and ${IS_RECOVERABLE}) as recovers,
  ${DELIVERY_FINISHED_AT} as "finishedAt",
  case when ${IS_CANCELLED_UNWRITTEN} then ${CANCELLED_WHY} else d.last_error end as "lastError",
  case when ${IS_LIVE} then d.defer_reason end as "heldReason",
  case when ${hasOwnTrackingId(sql`d`)} then ${BODY}::json -> 'data' ->> 'trackingId'
       else (select e.tracking_id from events e where e.id = d.event_id) end as "trackingId",
  (select e.signature from events e where e.id = d.event_id) as signature`

export interface DeliveryPage {
  status?: DeliveryState | undefined
  trackingId?: string | undefined
  signature?: string | undefined
  limit: number
  offset: number
}

/** Newest first: a page costs the same whatever else there is. Relies on `deliveriesIn`. */
async function pageOf(
  { database }: Store,
  webhooks: readonly WebhookActivation[],
  { status, before, limit, offset }: GatewayPage,
): Promise<readonly DeliveryRecord[]> {
  if (webhooks.length === 0) return []
  const found = webhooks.map(webhook => {
    const states = status === undefined ? DELIVERY_STATES : [status]
    const keys = before === undefined ? {} : { before }
    const which = { ...keys, order: 'desc', limit: limit + offset, columns: sql`d.id` } as const
    return sql`select p.id from ${deliveriesIn(webhook, states, which)} p`
  })
  return database.read<DeliveryRecord>(sql`
    select ${DELIVERY_COLUMNS}
      from (select a.id from (${join(found, ' union all ')}) a order by a.id desc limit ${limit} offset ${offset}) page
      join deliveries d on d.id = page.id join webhooks w on w.id = d.webhook_id
     order by d.id desc`)
}

/** Deliveries of one webhook. For a tracking ID or a signature, relies on the indexes of `deliveriesOfTrackingId`. */
export async function listDeliveries(
  store: Store,
  webhookId: bigint,
  page: DeliveryPage,
): Promise<readonly DeliveryRecord[]> {
  if (page.trackingId !== undefined || page.signature !== undefined)
    return findDeliveries(store, sql`d.webhook_id = ${webhookId}`, page)
  const webhook = await readActivation(store.database.read, webhookId)
  return pageOf(store, webhook === undefined ? [] : [webhook], page)
}

interface GatewayPage extends Pick<DeliveryPage, 'status' | 'limit' | 'offset'> {
  /** only deliveries with a lower id */
  before?: bigint | undefined
}

/** Deliveries of all webhooks of a gateway that are not deleted: it has few. */
export const listGatewayDeliveries = async (
  store: Store,
  gateway: string,
  page: GatewayPage,
): Promise<readonly DeliveryRecord[]> =>
  pageOf(store, await readActivations(store.database.read, gateway), page)

/**
 * Deliveries of all webhooks of a gateway that are not deleted, newest first. The caller gives a tracking ID or a
 * signature.
 */
export const searchDeliveries = (
  store: Store,
  gateway: string,
  page: DeliveryPage,
): Promise<readonly DeliveryRecord[]> =>
  findDeliveries(store, sql`w.gateway = ${gateway} and w.deleted_at is null`, page)

/** Events of a tracking ID that a search looks at: anybody can write any tracking ID. */
const SEARCHED = raw('2000')

/**
 * The ids of the deliveries of a tracking ID: payments by their own memo, and what became of policies by the policy's, of
 * the newest events each; and messages caused by time, which have no event. Relies on events_tracking_newest,
 * events_tracking_rare, events_policy_rare, the index of deliveries by event, and messages_of_time.
 */
const deliveriesOfTrackingId = (trackingId: string): Sql => sql`
  select d.id from deliveries d where d.event_id = any(array(
    (select e.id from events e where e.tracking_id = ${trackingId}
      order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc limit ${SEARCHED})
    union
    (select e.id
       from (select distinct n.payment_policy
               from (select e.payment_policy from events e
                      where e.tracking_id = ${trackingId} and e.name <> 'PaymentRecord'
                        and e.payment_policy is not null
                      order by e.name desc, e.occurred_at desc limit ${SEARCHED}) n) p
       join events e on e.payment_policy = p.payment_policy and e.name <> 'PaymentRecord' and not ${IS_PAYMENT}
      limit ${SEARCHED})))
  union all
  (select d.id
     from (select m.message_id, m.gateway from messages m
            where m.event_id is null and ${hasOwnTrackingId(sql`m`)}
              and ${trackingIdText(sql`m.body`)} = ${JSON.stringify(trackingId)}
            limit ${SEARCHED}) m
     join webhooks w on w.gateway = m.gateway
     join deliveries d on d.webhook_id = w.id and d.message_id = m.message_id and ${IS_NO_PAYMENT}
    limit ${SEARCHED})`

async function findDeliveries(
  { database }: Pick<Store, 'database'>,
  ofWebhooks: Sql,
  { status, trackingId, signature, limit, offset }: DeliveryPage,
): Promise<readonly DeliveryRecord[]> {
  const conditions = [ofWebhooks]
  if (status !== undefined) conditions.push(sql`${DELIVERY_STATE} = ${status}`)
  if (trackingId !== undefined) conditions.push(sql`d.id = any(array(${deliveriesOfTrackingId(trackingId)}))`)
  if (signature !== undefined)
    conditions.push(sql`d.event_id = any(array(select id from events where signature = ${signature}))`)
  return database.read<DeliveryRecord>(sql`
      select ${DELIVERY_COLUMNS} from deliveries d join webhooks w on w.id = d.webhook_id
       where ${allOf(conditions)}
       order by d.id desc limit ${limit} offset ${offset}`)
}

/** @returns null when the webhook has no such delivery */
export async function getDelivery(
  { database }: Store,
  webhookId: bigint,
  id: bigint,
): Promise<(DeliveryRecord & { body: string; attemptLog: AttemptRecord[] }) | null> {
  const [row] = await database.read<DeliveryRecord & { body: string }>(sql`
      select ${DELIVERY_COLUMNS}, ${BODY} as body from deliveries d join webhooks w on w.id = d.webhook_id
       where d.id = ${id} and d.webhook_id = ${webhookId}`)
  if (!row) return null
  const attemptLog = await database.read<AttemptRecord>(sql`
      select number::int as number, started_at as "startedAt", finished_at as "finishedAt", outcome,
             status_code::int as "statusCode", error, response_headers as "responseHeaders",
             response_body as "responseBody"
        from delivery_attempts where delivery_id = ${id} order by number desc limit ${ATTEMPTS_KEPT}`)
  return { ...row, attemptLog: attemptLog.toReversed() }
}
