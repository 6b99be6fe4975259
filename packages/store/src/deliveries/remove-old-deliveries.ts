import { bigints, sql, type Store } from '../core/database/sql.js'
import { tryRetentionLock } from '../core/database/retention-lock.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'

const HAS_ENDED = sql`d.state not in ('pending', 'waiting')`

/**
 * Removes deliveries that ended before the retention began, with their attempts, and then webhooks that were deleted
 * before it and for which no delivery, message or work is left. A delivery that has not ended stays, however old.
 * One page of at most `limit` deliveries, by deliveries_finished, and as many webhooks, by webhooks_deleted. One worker
 * removes at a time. Compares with the time of the statement, as `sweepDeliveries` does. Each statement holds its locks for some milliseconds, and the lock of retention.
 * SQL: skips locked rows.
 * @returns how many deliveries were removed
 */
export async function removeOldDeliveries(
  store: Store,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { database } = store
  const begins = sql`statement_timestamp() - make_interval(days => ${days}::integer)`
  const rows = await database.read<{ id: bigint }>(sql`
    select d.id from deliveries d
     where d.finished_at < ${begins} and ${HAS_ENDED}
       and ${isNotQuarantined('retention deliveries', sql`d.id::text`)}
     order by d.finished_at limit ${limit}`)
  const ids = rows.map(({ id }) => id)
  const removed = await isolate(store, 'retention deliveries', ids, some =>
    database.transaction(async tx => {
      if (!(await tryRetentionLock(tx))) return 0
      return tx.$executeRaw(sql`
        with old as (
          select d.id from deliveries d
           where d.id = any(${bigints(some)}) and d.finished_at < ${begins} and ${HAS_ENDED}
             for update skip locked
        ), attempts as (
          delete from delivery_attempts where delivery_id in (select id from old)
        )
        delete from deliveries where id in (select id from old)`)
    }),
  )
  await removeOldWebhooks(store, { days, limit })
  return removed.reduce((sum, count) => sum + count, 0)
}

async function removeOldWebhooks(
  store: Store,
  { days, limit }: { days: number; limit: number },
): Promise<void> {
  const { database } = store
  const rows = await database.read<{ id: bigint }>(sql`
    select w.id from webhooks w
     where w.deleted_at < statement_timestamp() - make_interval(days => ${days}::integer)
       and not exists (select from deliveries d where d.webhook_id = w.id)
       and not exists (select from waiting_messages a where a.webhook_id = w.id)
       and not exists (select from work k where k.kind = any('{cancel,redeliver}') and k.key = w.id::text)
       and ${isNotQuarantined('retention webhooks', sql`w.id::text`)}
     order by w.deleted_at limit ${limit}`)
  const ids = rows.map(({ id }) => id)
  await isolate(store, 'retention webhooks', ids, some =>
    database.withModels(client => client.webhook.deleteMany({ where: { id: { in: [...some] } } })),
  )
}
