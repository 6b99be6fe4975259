import { durationClass, type DeliveryState } from '@payment-tracking/domain'
import { columnTable } from '../core/database/columns.js'
import type { Store } from '../core/database/open-store.js'
import { bigints, sql } from '../core/database/sql.js'
import { CANCELLED_AT, CANCELLED_WHY, IS_LIVE, MESSAGE_ID } from '../core/tables/delivery-rows.js'
import { countInHour } from './webhook-hours.js'

/**
 * The outcome of an attempt. `refused` is every failure but 410, which is `gone`; the worker itself caused
 * `interrupted`.
 */
export type AttemptOutcome = 'accepted' | 'refused' | 'gone' | 'interrupted'

export interface AttemptResult {
  deliveryId: bigint
  /** with `messageId` distinguishes the delivery from another delivery that got the same id on a promoted standby */
  webhookId: bigint
  messageId: string
  /** the attempt's number: an older failure does not change a delivery that was claimed again */
  attempt: number
  /** of the attempt */
  startedAt: Date
  outcome: AttemptOutcome
  /** the state that follows `pending` */
  next: DeliveryState
  /** until the next try; only for `next: 'pending'` */
  retryInMs: number
  /** how long the request took, in milliseconds */
  durationMs: number
  statusCode: number | null
  /** an error name of this service, never a raw socket error */
  error: string | null
  responseHeaders: Record<string, string> | null
  responseBody: string | null
}

/** The rows after an attempt. */
export interface FinishedAttempt {
  deliveryId: bigint
  webhookId: bigint
  messageId: string
  outcome: AttemptOutcome
  statusCode: number | null
  state: DeliveryState
  /** of the webhook */
  failingSince: Date | null
  /** the webhook's row says already that a delivery failed since `failingSince` */
  isLossNoted: boolean
}

const HEALTH = sql`w.failing_since as "failingSince", w.lost_at is not null as "isLossNoted"`

const RESULTS = columnTable<AttemptResult>('r', {
  delivery_id: ['bigint', result => result.deliveryId],
  webhook_id: ['bigint', result => result.webhookId],
  message_id: ['text', result => result.messageId],
  number: ['smallint', result => result.attempt],
  started_at: ['timestamptz', result => result.startedAt],
  outcome: ['text', result => result.outcome],
  next: ['text', result => result.next],
  retry_ms: ['float8', result => result.retryInMs],
  duration: ['smallint', result => durationClass(result.durationMs)],
  status_code: ['smallint', result => result.statusCode],
  error: ['text', result => result.error],
  headers: ['json', result => result.responseHeaders && JSON.stringify(result.responseHeaders)],
  body: ['text', result => result.responseBody],
})

/**
 * Writes the results of many attempts in one statement. A success marks the delivery as delivered in any state, because
 * the endpoint did accept. A failure changes only a row that still waits for this attempt: a redelivery has no claim, so
 * a failure that comes after it does not end its cycle. A failure of a delivery that turning off has cancelled leaves it
 * cancelled: as `failed`, it would come again by itself when the webhook is on and recovers. Locks the attempts and
 * deliveries of the results, and after them the counts of their webhooks' hour. Repeating the call changes nothing. The statement holds the keys twice, so that a plan
 * from the time of empty tables finds rows by key and not by joining whole tables.
 *
 * A database that lost commits uses ids again. A result whose id now belongs to another webhook or message changes no
 * row. SQL: two tables change together.
 * @returns one row for each result whose delivery still exists
 */
export async function finishAttempts(
  store: Store,
  results: readonly AttemptResult[],
): Promise<FinishedAttempt[]> {
  const moved = await store.database.writePrepared<FinishedAttempt>(sql`
    with r as (
      select r.*, w.* from ${RESULTS.listOf(results)}
        cross join lateral (select webhook_id, message_id, message, activation, opened_at
                              from deliveries where id = r.delivery_id limit 1) d
        cross join lateral (select r.outcome <> 'accepted' and not ${IS_LIVE} as is_cancelled,
                                   ${CANCELLED_AT} as cancelled_at, ${CANCELLED_WHY} as cancelled_why, ${HEALTH}
                              from webhooks w where w.id = d.webhook_id limit 1) w
       where d.webhook_id = r.webhook_id and ${MESSAGE_ID} = r.message_id
    ), attempts as (
      update delivery_attempts a
         set finished_at = clock_timestamp(), outcome = r.outcome, status_code = r.status_code,
             error = r.error, response_headers = r.headers, response_body = r.body
        from r
       where a.delivery_id = r.delivery_id and a.delivery_id = any(${bigints(results.map(r => r.deliveryId))})
         and a.number = r.number and a.started_at = r.started_at
    ), moved as (
      update deliveries d
         set state = case when r.outcome = 'accepted' then 'delivered'
                          when r.is_cancelled then 'cancelled' else r.next end,
             due_at = case when r.outcome <> 'accepted' and not r.is_cancelled and r.next = 'pending'
                           then clock_timestamp() + make_interval(secs => r.retry_ms / 1000)
                           else d.due_at end,
             finished_at = case when r.is_cancelled then r.cancelled_at
                                when r.outcome <> 'accepted' and r.next = 'pending' then null
                                else clock_timestamp() end,
             claimed_until = null, deferred_since = null, defer_reason = null,
             last_error = case when r.is_cancelled then r.cancelled_why
                              when r.error = 'status' then 'HTTP ' || r.status_code else r.error end
        from r
       where d.id = r.delivery_id and d.id = any(${bigints(results.map(r => r.deliveryId))})
         and (r.outcome = 'accepted' and d.state <> 'delivered'
              or d.state = 'pending' and d.attempts_made = r.number and d.claimed_until is not null)
      returning d.id as "deliveryId", d.webhook_id as "webhookId", r.message_id as "messageId", r.outcome,
                r.status_code::int as "statusCode", d.state, r.duration, r."failingSince", r."isLossNoted"
    ), counted as (${countInHour(sql`moved`)})
    select "deliveryId", "webhookId", "messageId", outcome, "statusCode", state, "failingSince", "isLossNoted" from moved`)
  if (moved.length === results.length) return moved
  return [...moved, ...(await readUnmoved(store, results, moved))]
}

/** The rows of results that came too late. */
async function readUnmoved(
  { database }: Store,
  results: readonly AttemptResult[],
  moved: readonly FinishedAttempt[],
): Promise<FinishedAttempt[]> {
  const late = new Map(results.map(result => [deliveryKey(result), result]))
  for (const row of moved) late.delete(deliveryKey(row))
  const rows = await database.read<Omit<FinishedAttempt, 'outcome' | 'statusCode'>>(sql`
    select d.id as "deliveryId", d.webhook_id as "webhookId", ${MESSAGE_ID} as "messageId", d.state, w.*
      from deliveries d cross join lateral (select ${HEALTH} from webhooks w where w.id = d.webhook_id limit 1) w
     where d.id = any(${bigints(results.map(r => r.deliveryId))})`)
  return rows.flatMap(row => {
    const result = late.get(deliveryKey(row))
    return result === undefined ? [] : [{ ...row, outcome: result.outcome, statusCode: result.statusCode }]
  })
}

/** Identifies a delivery across a failover, after which its id alone may belong to another delivery. */
export const deliveryKey = (of: { deliveryId: bigint; webhookId: bigint; messageId: string }): string =>
  `${of.deliveryId} ${of.webhookId} ${of.messageId}`
