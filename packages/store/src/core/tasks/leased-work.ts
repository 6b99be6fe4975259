// Work that needs no writer lock, and that any number of processes does at once. Who takes work moves its `next_at` forward. If the
// process dies, another one continues at that time and does the page again.
import type { Store } from '../database/open-store.js'
import { empty, raw, sql, type Sql } from '../database/sql.js'
import type { Work } from './work-table.js'

/** After this time, work of a process that died is taken again. */
const TAKEN_SECONDS = raw('30')

/**
 * The statement that takes the work of some kinds that waited longest. Relies on work_next, a probe a kind. SQL: skips locked
 * rows.
 * @param key the only work
 */
export const takingWork = (kinds: readonly string[], key?: string): Sql => sql`
  update work t set next_at = clock_timestamp() + make_interval(secs => ${TAKEN_SECONDS}), version = nextval('work_version_seq')
   where (t.kind, t.key) = (
     select w.kind, w.key from unnest(${[...kinds]}::text[]) as k (kind)
      cross join lateral (
        select * from work w
         where w.kind = k.kind and w.next_at <= clock_timestamp() ${key === undefined ? empty : sql`and w.key = ${key}`}
         order by w.next_at limit 1 for update skip locked) w
      order by w.next_at limit 1)
  returning t.*`

/** What a page leaves. */
export interface LeasedPage {
  handled: number
  /** null when nothing remains */
  remaining: Pick<Work, 'cursor' | 'state'> | null
  /** how long the next page waits; Infinity: the work has ended, and its row is kept for readers */
  delaySeconds?: number | undefined
}

/**
 * Writes what remains after a page. Work that a request began anew meanwhile keeps its beginning: it has another version then.
 * SQL: adds to what is stored.
 * @param isOver whether the work may end, where nothing remains; it is a condition on `work`
 * @returns false where nothing remains and the work may not end yet
 */
export async function endPage(
  { database }: Store,
  { kind, key, version }: Pick<Work, 'kind' | 'key' | 'version'>,
  { handled, remaining, delaySeconds = 0 }: LeasedPage,
  isOver: Sql = sql`true`,
): Promise<boolean> {
  const isOurs = sql`kind = ${kind} and key = ${key} and version = ${version}`
  if (remaining === null)
    return (await database.execute(sql`delete from work where ${isOurs} and ${isOver}`)) > 0
  const state = remaining.state === null ? null : JSON.stringify(remaining.state)
  const nextAt =
    delaySeconds === Infinity
      ? sql`'infinity'`
      : sql`clock_timestamp() + make_interval(secs => ${delaySeconds}::float8)`
  await database.execute(sql`
    update work set cursor = ${remaining.cursor}, state = ${state}::jsonb, handled = handled + ${handled},
           next_at = ${nextAt}
     where ${isOurs}`)
  return true
}
