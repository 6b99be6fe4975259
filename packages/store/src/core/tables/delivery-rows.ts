// SQL conditions on a delivery `d` and its webhook `w`. Postgres uses a partial index only where the statement has its condition,
// so the partial indexes of deliveries have the text of `IS_OPEN`.
import { RECOVERED_BELOW_ATTEMPTS, RECOVERED_HOURS } from '@payment-tracking/domain'
import { inline, raw, sql, type Sql } from '../database/sql.js'
import { trackingIdText } from './messages.js'
import { bodyOf } from './payment-bodies.js'

/** The row of the delivery has no final state yet. The delivery itself has ended where not `IS_LIVE`. */
export const IS_OPEN = sql`d.state in ('pending', 'waiting')`

/** No worker is sending the delivery. */
export const IS_UNCLAIMED = sql`(d.claimed_until is null or d.claimed_until < clock_timestamp())`

/** Of failed deliveries: those that may have another cycle (domain/deliveries/recovery.ts). */
export const IS_RECOVERABLE = sql`(
  d.state = 'failed' and d.attempts_made < ${inline(RECOVERED_BELOW_ATTEMPTS)}
  and d.finished_at > statement_timestamp() - make_interval(hours => ${inline(RECOVERED_HOURS)})
  and d.last_error is distinct from 'address refused')`

/**
 * The columns of a `DeliveryRef`. The text of the body is searched for its tracking ID, which is among its first fields: reading it as JSON
 * would refuse a text that Postgres cannot hold. Within a string of JSON a quotation mark has a backslash, so no memo looks like the field.
 */
export const deliveryRef = (body: Sql): Sql => sql`
  d.id, d.webhook_id as "webhookId", d.opened_at as "openedAt", (d.tries_allowed - d.attempts_made)::int as "triesLeft", d.type,
  (select coalesce(${trackingIdText(sql`b.body`)}, substring(b.body from '"memo":(\\[[0-9,]+\\])')) from (select ${body} as body offset 0) b) as "trackingId",
  (select gateway from webhooks where id = d.webhook_id) as gateway,
  (select substring(endpoint_url from '//(?:[^/?#@]*@)?([^/?#]+)') from webhooks where id = d.webhook_id) as host`

/** The body of a delivery `d`. */
export const BODY = sql`(select ${bodyOf('m')} from messages m where m.id = d.message)`

/** The message id of a delivery `d`. That of a payment stands in its message alone. */
export const MESSAGE_ID = sql`coalesce(d.message_id, (select message_id from messages where id = d.message))`

export const DELIVERY_REF = deliveryRef(BODY)

/** Of a message whose id is its key. As in the index deliveries_webhook_id_message_id_key. */
export const IS_NO_PAYMENT = sql`d.type <> 'payment.executed'`

/** The webhook gets deliveries. */
export const IS_ACTIVE = sql`w.active and w.deleted_at is null`

/**
 * An open delivery may be sent: its webhook is on, and was not turned off since the delivery's cycle of tries began. All
 * other open deliveries are cancelled, although nobody has written their rows yet (webhook-work.ts).
 */
export const IS_LIVE = sql`(${IS_ACTIVE} and d.activation = w.activation)`

/** When and why an open delivery that is not live was cancelled. `greatest` and `coalesce` leave out what is null. */
export const CANCELLED_AT = sql`greatest(w.turned_off_at, d.opened_at)`
export const CANCELLED_WHY = sql`coalesce(w.turned_off_reason, 'webhook inactive')`

/** The delivery is cancelled, and its row is not written yet. */
export const IS_CANCELLED_UNWRITTEN = sql`(${IS_OPEN} and not ${IS_LIVE})`

/** The state of delivery `d` of webhook `w`, as everybody reads it. */
export const DELIVERY_STATE = sql`case when ${IS_CANCELLED_UNWRITTEN} then 'cancelled' else d.state end`

/** When it ended. */
export const DELIVERY_FINISHED_AT = sql`case when ${IS_CANCELLED_UNWRITTEN} then ${CANCELLED_AT} else d.finished_at end`

/**
 * The statement that writes what readers of some deliveries find already: that they are cancelled. SQL: joins tables.
 * @param ids their ids
 */
export const writeCancelled = (ids: Sql): Sql => sql`
  update deliveries d
     set state = 'cancelled', finished_at = ${CANCELLED_AT}, last_error = ${CANCELLED_WHY},
         deferred_since = null, defer_reason = null
    from webhooks w
   where w.id = d.webhook_id and not ${IS_LIVE} and d.id = any(${ids})`

/**
 * The statement that cancels open deliveries. A delivery that a worker is sending now may still end `delivered`. SQL: the
 * database's clock.
 */
export const cancelDeliveries = (which: Sql, why: string): Sql => sql`
  update deliveries d
     set state = 'cancelled', finished_at = clock_timestamp(), last_error = ${why},
         deferred_since = null, defer_reason = null
   where ${which} and ${IS_OPEN}`

/** The most attempts of a delivery that are kept, the newest: an answer of an endpoint can take some kilobytes. */
export const ATTEMPTS_KEPT = raw('100')
