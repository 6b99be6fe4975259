// Ordered delivery: a webhook gets one delivery at a time, in the order in which they were made.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Store } from '../database/open-store.js'
import { bigints, raw, sql } from '../database/sql.js'
import { IS_ACTIVE, IS_OPEN, IS_UNCLAIMED } from '../rows/deliveries.js'

/** `heldReason` of a delivery that waits for an earlier delivery. */
export const BEHIND_REASON = 'earlier delivery'

/** A delivery whose worker died before it woke the next one is found after this time. */
export const LOOK_AGAIN_SECONDS = 60

/** How many open deliveries of a webhook these statements look at, however many there are. */
const NEAREST = raw('100')

/**
 * Whether an open delivery of the same webhook comes before the row `d` and is young enough to wait for: the nearest ones
 * are asked. Relies on deliveries_open_webhook. `w` has the webhook's ordered_within_seconds.
 */
export const HAS_EARLIER = sql`exists (
  select from (select b.opened_at from deliveries b
                where b.webhook_id = d.webhook_id and b.activation = d.activation and b.id < d.id
                  and b.state in ('pending', 'waiting')
                order by b.id desc limit ${NEAREST}) b
   where b.opened_at > clock_timestamp() - make_interval(secs => w.ordered_within_seconds))`

/** The row `d` is due, or waits only for its turn. */
const MAY_WAKE = sql`(d.due_at <= clock_timestamp() or d.held_reason = ${BEHIND_REASON})`

/**
 * Makes the first open delivery of each webhook due that waits only for its turn, if it is among the first ones; a
 * sweeper finds others. The update waits for a claim that puts
 * the same row off at this moment, and then sees the row as the claim left it: no turn is lost.
 * @returns the deliveries to enqueue
 */
export const wakeNextInOrder = ({ database }: Store, webhookIds: readonly bigint[]): Promise<DeliveryRef[]> =>
  database.write<DeliveryRef>(sql`
    update deliveries d
       set due_at = least(d.due_at, clock_timestamp())
     where d.id = any(array(
             select first.id
               from webhooks w
              cross join lateral (
                select d.id
                  from (select * from deliveries d
                         where d.webhook_id = w.id and d.activation = w.activation and ${IS_OPEN}
                         order by d.id limit ${NEAREST}) d
                 where ${MAY_WAKE}
                 order by d.id limit 1) first
              where w.id = any(${bigints(webhookIds)}) and w.ordered and ${IS_ACTIVE}))
       and ${IS_OPEN} and ${MAY_WAKE}
       and ${IS_UNCLAIMED}
    returning d.id, d.webhook_id as "webhookId"`)
