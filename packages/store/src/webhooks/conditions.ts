// Conditions on deliveries `d` and webhooks `w`, for every statement that asks them. The partial indexes of deliveries have
// the text of `IS_OPEN`.
import { sql, type Sql } from '../database/sql.js'

/** The delivery has not ended. */
export const IS_OPEN = sql`d.state in ('pending', 'waiting')`

/** No worker is sending the delivery. */
export const IS_UNCLAIMED = sql`(d.claimed_until is null or d.claimed_until < clock_timestamp())`

/** The webhook gets deliveries. */
export const IS_ACTIVE = sql`w.active and w.deleted_at is null`

/** The statement that cancels open deliveries. A delivery that a worker is sending now may still end `delivered`. */
export const cancelDeliveries = (which: Sql, why: string): Sql => sql`
  update deliveries d
     set state = 'cancelled', finished_at = clock_timestamp(), last_error = ${why},
         held_since = null, held_reason = null
   where ${which} and ${IS_OPEN}`
