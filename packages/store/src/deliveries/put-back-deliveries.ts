import { columnTable } from '../core/database/columns.js'
import type { Store } from '../core/database/open-store.js'
import { bigints, sql } from '../core/database/sql.js'
import { MESSAGE_ID } from '../core/tables/delivery-rows.js'
import type { ClaimedDelivery } from './claim-deliveries.js'

export interface PutBack {
  delivery: ClaimedDelivery
  forMs: number
  /** `in-flight cap`, `rate cap` or `breaker open` */
  reason: string
}

const CLAIMS = columnTable<PutBack>('c', {
  attempt_id: ['bigint', ({ delivery }) => delivery.attemptId],
  delivery_id: ['bigint', ({ delivery }) => delivery.id],
  webhook_id: ['bigint', ({ delivery }) => delivery.webhookId],
  message_id: ['text', ({ delivery }) => delivery.messageId],
  number: ['smallint', ({ delivery }) => delivery.attempt],
  for_ms: ['float8', ({ forMs }) => forMs],
  reason: ['text', ({ reason }) => reason],
})

/**
 * Gives claims back whose requests did not leave: the attempts are as if they had never been, and the deliveries are due
 * again after `forMs`. A delivery that changed since (its claim expired, it was redelivered or cancelled) stays unchanged, and
 * the attempt becomes `interrupted`. Locks the deliveries and their attempts. The statement holds the keys twice, as
 * finishAttempts does. SQL: two tables change together.
 */
export async function putBackDeliveries({ database }: Store, claims: readonly PutBack[]): Promise<void> {
  await database.writePrepared(sql`
    with c as (select * from ${CLAIMS.listOf(claims)}),
    put_back as (
      update deliveries d
         set state = 'waiting', attempts_made = d.attempts_made - 1, claimed_until = null,
             deferred_since = clock_timestamp(), defer_reason = c.reason,
             due_at = clock_timestamp() + make_interval(secs => c.for_ms / 1000)
        from c
       where d.id = c.delivery_id and d.id = any(${bigints(claims.map(c => c.delivery.id))})
         and d.webhook_id = c.webhook_id and ${MESSAGE_ID} = c.message_id
         and d.state = 'pending' and d.attempts_made = c.number and d.claimed_until is not null
      returning c.attempt_id
    ), undone as (
      delete from delivery_attempts a
       where a.id = any(array(select attempt_id from put_back)) and a.finished_at is null
    )
    update delivery_attempts a set outcome = 'interrupted', finished_at = clock_timestamp()
      from c
     where a.id = c.attempt_id and a.id = any(${bigints(claims.map(c => c.delivery.attemptId))})
       and a.delivery_id = c.delivery_id and a.number = c.number and a.finished_at is null
       and not a.id = any(array(select attempt_id from put_back))`)
}
