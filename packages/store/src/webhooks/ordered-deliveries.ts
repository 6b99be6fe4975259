// Ordered delivery: a webhook gets one delivery at a time, in the order in which they were made.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { IS_OPEN, IS_UNCLAIMED } from './conditions.js'

/** `heldReason` of a delivery that waits for an earlier delivery. */
export const BEHIND_REASON = 'earlier delivery'

/** A delivery whose worker died before it woke the next one is found after this time. */
export const LOOK_AGAIN_SECONDS = 60

/**
 * Whether an open delivery of the same webhook comes before the row `d` and is young enough to wait for.
 * Relies on deliveries_ordered.
 */
export const HAS_EARLIER = sql`exists (
  select from deliveries b
   where b.webhook_id = d.webhook_id and b.id < d.id and b.ordered and b.state in ('pending', 'waiting')
     and b.opened_at > clock_timestamp() - make_interval(secs =>
           (select ordered_within_seconds from webhooks where id = d.webhook_id)))`

/** The row `d` is due, or waits only for its turn. */
const MAY_WAKE = sql`(d.due_at <= clock_timestamp() or d.held_reason = ${BEHIND_REASON})`

/**
 * Makes the first open delivery of each webhook due that waits only for its turn. The update waits for a claim that puts
 * the same row off at this moment, and then sees the row as the claim left it: no turn is lost.
 * @returns the deliveries to enqueue
 */
export const wakeNextInOrder = ({ database }: Store, webhookIds: readonly bigint[]): Promise<DeliveryRef[]> =>
  database.write<DeliveryRef>(sql`
    update deliveries d
       set due_at = least(d.due_at, clock_timestamp())
     where d.id = any(array(
             select first.id
               from unnest(${webhookIds.map(String)}::bigint[]) as w (id)
              cross join lateral (
                select d.id from deliveries d
                 where d.webhook_id = w.id and d.ordered and ${IS_OPEN}
                   and ${MAY_WAKE}
                 order by d.id limit 1) first))
       and ${IS_OPEN} and ${MAY_WAKE}
       and ${IS_UNCLAIMED}
    returning d.id, d.webhook_id as "webhookId"`)
