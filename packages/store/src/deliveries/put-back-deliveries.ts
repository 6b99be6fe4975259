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
  delivery_id: ['bigint', ({ delivery }) => delivery.id],
  webhook_id: ['bigint', ({ delivery }) => delivery.webhookId],
  message_id: ['text', ({ delivery }) => delivery.messageId],
  number: ['smallint', ({ delivery }) => delivery.attempt],
  started_at: ['timestamptz', ({ delivery }) => delivery.startedAt],
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
  const ids = bigints(claims.map(c => c.delivery.id))
  await database.writePrepared(sql`
    with c as (select * from ${CLAIMS.listOf(claims)}),
    put_back as (
      update deliveries d
         set state = 'waiting', attempts_made = d.attempts_made - 1, claimed_until = null,
             deferred_since = clock_timestamp(), defer_reason = c.reason,
             due_at = clock_timestamp() + make_interval(secs => c.for_ms / 1000)
        from c
       where d.id = c.delivery_id and d.id = any(${ids})
         and d.webhook_id = c.webhook_id and ${MESSAGE_ID} = c.message_id
         and d.state = 'pending' and d.attempts_made = c.number and d.claimed_until is not null
         and (select a.started_at from delivery_attempts a where a.delivery_id = d.id and a.number = c.number) = c.started_at
      returning d.id, c.number
    ), undone as (
      delete from delivery_attempts a using put_back p
       where a.delivery_id = p.id and a.number = p.number and a.delivery_id = any(${ids})
    )
    update delivery_attempts a set outcome = 'interrupted', finished_at = clock_timestamp()
      from c
     where a.delivery_id = c.delivery_id and a.number = c.number and a.started_at = c.started_at
       and a.delivery_id = any(${ids}) and a.finished_at is null
       and not a.delivery_id = any(array(select id from put_back))`)
}
