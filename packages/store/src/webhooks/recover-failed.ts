import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { openRound } from './redeliver.js'

export interface Recovery {
  /** deliveries that failed longer ago stay failed */
  hours: number
  /** a delivery that failed after n attempts rests for n times this long */
  restMs: number
  limit: number
}

/** Six rounds in all: an endpoint can answer and yet refuse one message for ever. */
const RECOVERED_BELOW_ATTEMPTS = 24

/**
 * Opens a new round for failed deliveries of webhooks with `recover` whose endpoint answers again: `failing_since` is
 * null after any success. Oldest first. Several workers may call it at once.
 * Relies on deliveries_failed_webhook.
 */
export const recoverFailed = (store: Store, { hours, restMs, limit }: Recovery): Promise<DeliveryRef[]> =>
  openRound(
    store,
    sql`d.state = 'failed' and d.id = any(array(
      select f.id from webhooks w cross join lateral (
        select id from deliveries
         where webhook_id = w.id and state = 'failed'
           and finished_at > clock_timestamp() - make_interval(hours => ${hours}::integer)
           and finished_at < clock_timestamp() - make_interval(secs => attempts_made * ${restMs}::float8 / 1000)
           and attempts_made < ${RECOVERED_BELOW_ATTEMPTS} and last_error is distinct from 'address refused'
         limit ${limit}) f
       where w.recover and w.active and w.deleted_at is null and w.failing_since is null
       order by f.id limit ${limit}))`,
  )
