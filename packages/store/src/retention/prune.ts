// Removes rows that no promise needs any more. docs/guides/operate-it.md lists the retention of each table, with
// reasons.
//
// Every step is one short transaction that takes at most `limit` rows and looks at little more. Steps of all replicas
// exclude each other by an advisory lock of the transaction, which also works behind a pooler.
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { tryRetentionLock } from './retention-lock.js'

/** In days, counted from the time at which the service no longer needed the row. */
export interface Retention {
  batchDays: number
  deadLetterDays: number
  apiKeyDays: number
}

const olderThan = (days: number): Sql => sql`clock_timestamp() - make_interval(days => ${days}::integer)`

/**
 * For each table, the rows that one step removes. Ids rise with time, so the primary key finds the oldest rows without
 * an index on their age. The step skips rows that must stay.
 */
const STEPS = {
  // A batch that was not relayed belongs to the outbox: it stays, and so do all younger batches.
  ingest_batches: ({ batchDays }: Retention, limit: number) => sql`
    delete from ingest_batches where id in (
      select id from (select id, committed_at, handed_over_at from ingest_batches order by id limit ${limit}) oldest
       where handed_over_at is not null and committed_at < ${olderThan(batchDays)})`,
  // An INGEST_FAULT that was not replayed is a good message that a bug of ingest refused. The row may be its only copy.
  dead_letters: ({ deadLetterDays }: Retention, limit: number) => sql`
    delete from dead_letters where id in (
      select id from (
        select id, greatest(received_at, replayed_at) as used_at from dead_letters
         where code <> 'INGEST_FAULT' or replayed_at is not null order by id limit ${limit}) oldest
       where used_at < ${olderThan(deadLetterDays)})`,
  // An operator must still handle an open gap, however old.
  gaps: ({ deadLetterDays }: Retention, limit: number) => sql`
    delete from gaps where id in (
      select id from gaps where closed_at < ${olderThan(deadLetterDays)} order by id limit ${limit})`,
  stream_gaps: ({ deadLetterDays }: Retention, limit: number) => sql`
    delete from stream_gaps where id in (
      select id from stream_gaps where closed_at < ${olderThan(deadLetterDays)} order by id limit ${limit})`,
  // What waits for a deleted webhook is never sent; what waits for an inactive webhook may be.
  waiting_messages: (_retention: Retention, limit: number) => sql`
    delete from waiting_messages where ctid in (
      select a.ctid from waiting_messages a
       where not exists (select from webhooks w where w.id = a.webhook_id and w.deleted_at is null)
       limit ${limit})`,
  // A retired key shows who acted for a gateway, and when last.
  api_keys: ({ apiKeyDays }: Retention, limit: number) => sql`
    delete from api_keys where id in (
      select id from api_keys
       where least(revoked_at, expires_at) < ${olderThan(apiKeyDays)} order by id limit ${limit})`,
  // The notice of a date stays while the policy has that date, so that the date is not reported again: an unpaid due
  // date or an end stays with its live policy. The age leaves time for a retraction, which restores an earlier due
  // date.
  policy_notices: ({ batchDays }: Retention, limit: number) => sql`
    delete from policy_notices where ctid in (
      select n.ctid from policy_notices n
       where n.told_at < ${olderThan(batchDays)}
         and not exists (
           select from policies p
            where p.address = n.policy and p.live and p.life_start = n.incarnation
              and (n.type = 'subscription.expired' or p.next_payment_due is null or p.next_payment_due <= n.at))
       limit ${limit})`,
} as const

export type PrunedTable = keyof typeof STEPS
export const PRUNED_TABLES = Object.keys(STEPS) as PrunedTable[]

/**
 * Takes one step in one table.
 * @returns how many rows were removed; null when another process holds the lock
 */
export function pruneStep(
  { database }: Store,
  table: PrunedTable,
  { limit, ...retention }: Retention & { limit: number },
): Promise<number | null> {
  return database.transaction(async tx =>
    (await tryRetentionLock(tx)) ? tx.$executeRaw(STEPS[table](retention, limit)) : null,
  )
}
