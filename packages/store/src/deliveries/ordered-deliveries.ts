// Ordered delivery: a webhook gets one delivery at a time, in the order in which they were made: of all its deliveries, or of
// those of each tracking ID.
import type { OrderedBy } from '../core/tables/webhooks.js'
import type { DeliveryRef } from '@payment-tracking/contracts'
import { RECOVERED_BELOW_ATTEMPTS } from '@payment-tracking/domain'
import { bigints, empty, inline, raw, sql, type Sql, type Store } from '../core/database/sql.js'
import { DELIVERY_REF, IS_ACTIVE, IS_OPEN, IS_UNCLAIMED } from '../core/tables/delivery-rows.js'

/** `heldReason` of a delivery that waits for an earlier delivery. */
export const EARLIER_DELIVERY = 'earlier delivery'

/** A delivery whose worker died before it woke the next one is found after this time. */
export const CHECK_AGAIN_SECONDS = 60

/** How many open deliveries of a webhook these statements look at, however many there are. */
const NEAREST = raw('100')

const hasEarlier = (ofOrder: Sql): Sql => sql`exists (
  select from (select b.opened_at from deliveries b
                where b.webhook_id = d.webhook_id and b.activation = d.activation and b.id < d.id
                  and b.state in ('pending', 'waiting') and ${ofOrder}
                order by b.id desc limit ${NEAREST}) b
   where b.opened_at > clock_timestamp() - make_interval(secs => w.ordered_within_seconds))`

/**
 * Whether an open delivery of the same order comes before the row `d` and is young enough to wait for: the nearest ones
 * are asked. What has no tracking ID, or was made before the webhook ordered by it, is an order of its own. Relies on
 * deliveries_open_webhook and deliveries_open_order. `w` has the webhook's ordered_by and ordered_within_seconds.
 */
const HAS_EARLIER = sql`
  case when w.ordered_by = 'all' then ${hasEarlier(sql`true`)}
       when d.order_key is null then ${hasEarlier(sql`b.order_key is null`)}
       else ${hasEarlier(sql`b.order_key = d.order_key`)} end`

/**
 * Whether the row `d`, which was never tried, waits for an earlier one that failed and has cycles left: while the endpoint of an
 * ordered webhook that recovers is away, nothing overtakes what it will get. The earlier one holds back until it has failed a
 * round after the time that the webhook allows: `findProbes` gives it one then. Relies on deliveries_webhook_state. `w` has also
 * recover and failing_since.
 */
const IS_AFTER_FAILED = sql`(
  w.recover and w.failing_since is not null and d.attempts_made = 0
  and exists (select from (select * from deliveries b
                            where b.webhook_id = d.webhook_id and b.state = 'failed' and b.id < d.id
                            order by b.id desc limit ${NEAREST}) b
               where b.attempts_made < ${inline(RECOVERED_BELOW_ATTEMPTS)}
                 and b.finished_at <= b.created_at + make_interval(secs => w.ordered_within_seconds)
                 and (w.ordered_by = 'all' or b.order_key is not distinct from d.order_key))
  and d.opened_at > clock_timestamp() - make_interval(secs => w.ordered_within_seconds))`

/** The deliveries of one expectation are in order for every webhook. */
const OF_EXPECTATION = raw(`like 'expectation.%'`)

/**
 * Whether the row `d` must wait for an earlier one: of an ordered webhook, or of the same expectation. `w` has also the
 * webhook's `ordered`, `recover` and `failing_since`.
 */
export const MUST_WAIT = sql`
  case when w.ordered then ${HAS_EARLIER} or ${IS_AFTER_FAILED}
       when d.type ${OF_EXPECTATION} then ${hasEarlier(sql`b.order_key = d.order_key and b.type ${OF_EXPECTATION}`)}
       else false end`

/** The row `d` is due, or waits only for its turn. */
const MAY_BE_DUE = sql`(d.due_at <= clock_timestamp() or d.defer_reason = ${EARLIER_DELIVERY})`

/** What has ended, and whose turn ends with it. */
export interface EndedDelivery {
  webhookId: bigint
  ordered: boolean
  orderedBy: OrderedBy
  orderKey: string | null
}

/**
 * Makes the first open delivery of an order due that waits only for its turn, if it is among the first ones; a sweeper finds
 * others. The update waits for a claim that puts the same row off at this moment, and then sees the row as the claim left it:
 * no turn is lost. SQL: compares two columns.
 * @param ended the delivery before it
 * @returns the deliveries to enqueue
 */
export function makeNextDue(
  { database }: Store,
  { webhookId, ordered, orderedBy, orderKey }: EndedDelivery,
): Promise<DeliveryRef[]> {
  const ofAll = ordered && orderedBy === 'all'
  const ofKey = orderKey === null ? sql`and d.order_key is null` : sql`and d.order_key = ${orderKey}`
  return database.write<DeliveryRef>(sql`
    update deliveries d
       set due_at = least(d.due_at, clock_timestamp())
     where d.id = any(array(
             select first.id
               from webhooks w
              cross join lateral (
                select d.id
                  from (select * from deliveries d
                         where d.webhook_id = w.id and d.activation = w.activation and ${IS_OPEN}
                               ${ofAll ? empty : ofKey}
                         order by d.id limit ${NEAREST}) d
                 where ${MAY_BE_DUE}
                 order by d.id limit 1) first
              where w.id = any(${bigints([webhookId])}) and ${IS_ACTIVE}))
       and ${IS_OPEN} and ${MAY_BE_DUE}
       and ${IS_UNCLAIMED}
    returning ${DELIVERY_REF}`)
}
