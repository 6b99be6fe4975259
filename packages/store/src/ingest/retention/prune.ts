// Removes rows that no promise needs any more. docs/guides/operate-it.md lists the retention of each table, with
// reasons.
//
// Every step looks at the next `limit` rows of a table by its key, and removes those of them that may go, in one short
// transaction. Steps of all replicas exclude each other by an advisory lock of the transaction, which also works behind
// a pooler.
import { join, raw, sql, type Sql, type Store, type Tx } from '../../core/database/sql.js'
import { isNotQuarantined, isolate } from '../../core/quarantine/isolate.js'
import { IS_NO_PAYMENT } from '../../core/tables/delivery-rows.js'
import { tryRetentionLock } from '../../core/database/retention-lock.js'

/** In days, counted from the time at which the service no longer needed the row. */
export interface Retention {
  batchDays: number
  deadLetterDays: number
  apiKeyDays: number
}

const olderThan = (days: number): Sql => sql`clock_timestamp() - make_interval(days => ${days}::integer)`

interface Pruned {
  /** the type of each column of the key of rows `r`: pages are taken in its order */
  key: Readonly<Record<string, string>>
  /** a time that rises with the key: after a young row there is nothing to remove */
  risesWith?: Sql
  age: (retention: Retention) => Sql
  /** the rows `r` of that age that may go */
  mayGo: Sql
  /** what is written in the transaction that removes rows `r` */
  first?: (going: Sql) => Sql
}

/** Figures of versions before the one that is read: rebuilds have replaced them, or were begun anew (figures/count-anew.ts). */
const replaced = (key: Pruned['key']): Pruned => {
  const goneAt = sql`
    case when r.version < (select figures_version from stream_head) then '-infinity' else 'infinity' end::timestamptz`
  return { key: { version: 'integer', ...key }, risesWith: goneAt, age: () => sql`now()`, mayGo: goneAt }
}

/** A day more than `replay-missing` goes back: no replay points a delivery to a message that is removed at that moment. */
const MESSAGE_DAYS = 31

const ID: Pruned['key'] = { id: 'bigint' }

/** SQL: one statement for all tables, and a position that is compared with what is stored. */
const TABLES = {
  // A batch that was not relayed belongs to the outbox: it stays.
  ingest_batches: {
    key: ID,
    risesWith: sql`r.committed_at`,
    age: ({ batchDays }: Retention) => olderThan(batchDays),
    mayGo: sql`r.relayed_at is not null and r.committed_at`,
  },
  // An INGEST_FAULT that was not replayed is a good message that a bug of ingest refused. The row may be its only copy.
  dead_letters: {
    key: ID,
    risesWith: sql`r.received_at`,
    age: ({ deadLetterDays }: Retention) => olderThan(deadLetterDays),
    mayGo: sql`(r.code <> 'INGEST_FAULT' or r.replayed_at is not null) and greatest(r.received_at, r.replayed_at)`,
  },
  // An operator must still handle an open gap, however old.
  gaps: {
    key: ID,
    age: ({ deadLetterDays }: Retention) => olderThan(deadLetterDays),
    mayGo: sql`r.closed_at`,
  },
  stream_gaps: {
    key: ID,
    age: ({ deadLetterDays }: Retention) => olderThan(deadLetterDays),
    mayGo: sql`r.closed_at`,
  },
  // A retired key shows who acted for a gateway, and when last.
  api_keys: {
    key: ID,
    age: ({ apiKeyDays }: Retention) => olderThan(apiKeyDays),
    mayGo: sql`least(r.revoked_at, r.expires_at)`,
  },
  // The notice of a date stays while the policy has that date, so that the date is not reported again: an unpaid due
  // date or an end stays with its live policy. The age leaves time for a retraction, which restores an earlier due
  // date.
  policy_notices: {
    key: { policy: 'text', incarnation_start: 'text', type: 'text', at: 'bigint' },
    age: ({ batchDays }: Retention) => olderThan(batchDays),
    mayGo: sql`
      not exists (
        select from policies p
         where p.address = r.policy and p.live and p.incarnation_start = r.incarnation_start
           and (r.type = 'subscription.expired' or p.next_payment_due is null or p.next_payment_due <= r.at))
      and r.notified_at`,
  },
  // As policy_notices: nobody is notified of a risk again while the policy has that date.
  risk_notices: {
    key: {
      policy: 'text',
      incarnation_start: 'text',
      due_at: 'bigint',
      cause: 'text',
      began_at: 'timestamptz',
    },
    age: ({ batchDays }: Retention) => olderThan(batchDays),
    mayGo: sql`
      r.cleared_at is not null and not exists (
        select from policies p
         where p.address = r.policy and p.live and p.incarnation_start = r.incarnation_start and p.due_at <= r.due_at)
      and r.began_at`,
  },
  // Cursors of feeds that lead there are refused from then on.
  messages: {
    key: ID,
    risesWith: sql`r.notified_at`,
    age: () => olderThan(MESSAGE_DAYS),
    mayGo: sql`
      not exists (select from deliveries d where d.event_id = r.event_id and d.message = r.id)
      and (r.event_id is not null or not exists (
             select from webhooks w join deliveries d on d.webhook_id = w.id and d.message_id = r.message_id and ${IS_NO_PAYMENT}
              where w.gateway = r.gateway))
      and r.notified_at`,
    first: going => sql`
      update stream_head set messages_begin = g.position + 1
        from (select max(r.position) as position from messages r where ${going} and r.sequence is not null) g
       where id = 1 and messages_begin <= g.position`,
  },
  // Nothing that is due needs the account any more; it is read again when something does.
  token_accounts: {
    key: { address: 'text' },
    age: ({ batchDays }: Retention) => olderThan(batchDays),
    mayGo: sql`r.checked_at`,
  },
  // A month is drawn, and the month before stands beside it.
  webhook_hours: {
    key: { webhook_id: 'bigint', start: 'timestamptz', accepted: 'boolean', duration: 'smallint' },
    age: () => olderThan(62),
    mayGo: sql`r.start`,
  },
  event_counts: replaced({ gateway: 'text', span: 'integer', name: 'text', start: 'timestamptz' }),
  payment_token_stats: replaced({
    gateway: 'text',
    span: 'integer',
    start: 'timestamptz',
    token_mint: 'text',
  }),
} satisfies Record<string, Pruned>

export type PrunedTable = keyof typeof TABLES
export const PRUNED_TABLES = Object.keys(TABLES) as PrunedTable[]

export interface PrunedStep {
  removed: number
  /** where the next step begins; null after the last row that can be old enough */
  next: string[] | null
}

/**
 * Takes one step in one table: looks at `limit` rows by the table's key, after the row `after`, and removes those that may
 * go. SQL: skips locked rows.
 * @returns null when another process holds the lock
 */
export async function pruneStep(
  store: Store,
  table: PrunedTable,
  { limit, after, ...retention }: Retention & { limit: number; after?: readonly string[] | null },
): Promise<PrunedStep | null> {
  const { key, age, mayGo, risesWith, first }: Pruned = TABLES[table]
  const name = raw(table)
  const names = Object.keys(key).map(column => `r.${column}`)
  const columns = raw(names.join(', '))
  const text = raw(`array[${names.map(name => `${name}::text`).join(', ')}]`)
  const valuesOf = (values: readonly string[]) =>
    sql`(${join(Object.values(key).map((type, at) => sql`${values[at]}::text::${raw(type)}`))})`
  const task = `retention ${table}` as const
  const isOld = age(retention)

  const rows = await inTurn(store, tx =>
    tx.$queryRaw<{ key: string[]; goes: boolean; isYoung: boolean }[]>(sql`
      select ${text} as key,
             ${mayGo} < ${isOld} and ${isNotQuarantined(task, sql`array_to_string(${text}, ' ')`)} as goes,
             ${risesWith === undefined ? sql`false` : sql`${risesWith} >= ${isOld}`} as "isYoung"
        from (select * from ${name} r
               where ${after ? sql`(${columns}) > ${valuesOf(after)}` : sql`true`}
               order by ${columns} limit ${limit}) r
       order by ${columns}`),
  )
  if (rows === null) return null
  const going = rows.filter(({ goes }) => goes).map(row => new RowKey(row.key))
  const removed = await isolate(store, task, going, keys =>
    inTurn(store, async tx => {
      const isGoing = sql`(${columns}) in (${join(keys.map(({ values }) => valuesOf(values)))}) and ${mayGo} < ${isOld}`
      if (first) await tx.$executeRaw(first(isGoing))
      return tx.$executeRaw(sql`delete from ${name} r where ${isGoing}`)
    }),
  )
  const last = rows.at(-1)
  return {
    removed: removed.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    next: rows.length === limit && last && !last.isYoung ? last.key : null,
  }
}

/** The key of a row, whose text names the row. */
class RowKey {
  constructor(readonly values: readonly string[]) {}

  toString(): string {
    return this.values.join(' ')
  }
}

/** Runs statements under the lock of retention. @returns null when another process holds the lock */
const inTurn = <Result>({ database }: Store, work: (tx: Tx) => Promise<Result>): Promise<Result | null> =>
  database.transaction(async tx => ((await tryRetentionLock(tx)) ? work(tx) : null))
