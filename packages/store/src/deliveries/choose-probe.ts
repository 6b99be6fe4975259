import type { Store } from '../core/database/open-store.js'
import { raw, sql } from '../core/database/sql.js'
import { IS_ACTIVE, IS_OPEN, IS_UNCLAIMED } from '../core/tables/delivery-rows.js'
import { EARLIER_DELIVERY, MUST_WAIT } from './ordered-deliveries.js'

/** How many open deliveries of the webhook the statement looks at, the oldest. */
const OPEN_READ = raw('500')

/**
 * Chooses the delivery that a half-open breaker lets through, and makes it due: the oldest that was never tried, then the
 * others in turn (the one with the most tries left, the oldest of those). So a message that the endpoint fails at every time
 * does not keep the breaker open for all others. Passes over what a worker is sending, what waits for its retry, and what
 * waits for an earlier delivery. Relies on deliveries_open_webhook.
 * @returns null when there is none
 */
export async function chooseProbe({ database }: Store, webhookId: bigint): Promise<bigint | null> {
  const [row] = await database.write<{ id: bigint }>(sql`
    update deliveries d set due_at = least(d.due_at, clock_timestamp())
     where d.id = (
             select d.id
               from webhooks w
              cross join lateral (
                select * from deliveries d
                 where d.webhook_id = w.id and d.activation = w.activation and ${IS_OPEN}
                 order by d.id limit ${OPEN_READ}) d
              where w.id = ${webhookId} and ${IS_ACTIVE} and ${IS_UNCLAIMED}
                and (d.due_at <= clock_timestamp()
                     or d.state = 'waiting' and d.held_reason is distinct from ${EARLIER_DELIVERY})
                and not (${MUST_WAIT})
              order by d.attempts_made > 0, d.attempts_made - d.tries_allowed, d.id limit 1)
       and ${IS_OPEN} and ${IS_UNCLAIMED}
    returning d.id`)
  return row?.id ?? null
}
