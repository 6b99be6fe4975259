// The events of a month that is to be archived.
import type { Store } from '../database/open-store.js'
import { raw, sql, type Sql } from '../database/sql.js'
import { hidden } from '../reads/hidden.js'
import type { ArchiveLine } from './archive-line.js'
import { monthOf, spanOfMonth } from './months.js'

/** A place in the order of events_newest. */
interface Place {
  occurredAt: Date
  slot: bigint
  index: bigint
  id: string
}

const ROWS_A_PAGE = 1_000
const MOST = raw(String(ROWS_A_PAGE))

/** Before all events of a month, which have no negative slots. */
const beginningOf = (month: string): Place => ({
  occurredAt: spanOfMonth(month).start,
  slot: -1n,
  index: 0n,
  id: '00000000-0000-0000-0000-000000000000',
})

/**
 * The events of a month behind a place, in the order of events_newest. Statistics that are older than the month say that the
 * month has few events. Postgres would then read and sort the whole month for each page. So the values are hidden from the
 * planner. It then assumes that many events match, and reads the index only until the page is full.
 */
const pageOf = (month: string, after: Place, condition: Sql): Sql => {
  const { occurredAt, slot, index, id } = after
  return sql`
    from live_events e
   where (e.occurred_at, e.slot, e.event_index, e.id)
         > (${hidden(sql`${occurredAt}::timestamptz`)}, ${hidden(sql`${slot}::bigint`)}, ${hidden(sql`${index}::bigint`)},
            ${hidden(sql`${id}::uuid`)})
     and e.occurred_at < ${hidden(sql`${spanOfMonth(month).end}::timestamptz`)} and ${condition}
   order by e.occurred_at, e.slot, e.event_index, e.id limit ${MOST}`
}

const PLACE = sql`e.occurred_at as "occurredAt", e.slot, e.event_index as index, e.id`

/**
 * The oldest month with events in lists that ends before a time, without months that were restored. One probe of events_newest
 * for each of these.
 */
export async function findOldMonth({ database }: Store, before: Date): Promise<string | null> {
  const restored = await database.read<{ month: string }>(
    sql`select distinct month from archive_parts where wanted = 'live'`,
  )
  const isRestored = new Set(restored.map(({ month }) => month))
  let from: Date | null = null
  for (;;) {
    const [row]: readonly { occurredAt: Date }[] = await database.read<{ occurredAt: Date }>(sql`
      select occurred_at as "occurredAt" from live_events
       where occurred_at < ${hidden(sql`${before}::timestamptz`)}
         and occurred_at >= ${hidden(sql`coalesce(${from}::timestamptz, '-infinity')`)}
       order by occurred_at limit 1`)
    if (row === undefined) return null
    const month = monthOf(row.occurredAt)
    if (!isRestored.has(month)) return month
    from = spanOfMonth(month).end
  }
}

/** Why the events of a month may not be archived yet. */
export type ArchiveObstacle = 'not-final' | 'too-new'

export interface MonthSurvey {
  obstacle: ArchiveObstacle | null
  /** the oldest event that is neither final nor retracted */
  held?: { signature: string; slot: bigint }
  /** the last position of its events */
  upTo: bigint
}

/**
 * Says whether the events of a month may be archived: each must be final or retracted, the newest must have been stored
 * `settledSeconds` ago, and all must have been announced. Reads the events of live_events in pages.
 */
export async function surveyMonth(
  { database }: Store,
  month: string,
  { settledSeconds, stop }: { settledSeconds: number; stop: AbortSignal },
): Promise<MonthSurvey> {
  let upTo = 0n
  for (let after = beginningOf(month); ;) {
    stop.throwIfAborted()
    const page: readonly (Place & { signature: string; position: bigint; isFinal: boolean })[] =
      await database.read(sql`
      select ${PLACE}, e.signature, e.position,
             e.retracted_at is not null or e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head)
               as "isFinal"
        ${pageOf(month, after, sql`true`)}`)
    for (const { position } of page) if (position > upTo) upTo = position
    const held = page.find(({ isFinal }) => !isFinal)
    if (held) return { obstacle: 'not-final', upTo, held: { signature: held.signature, slot: held.slot } }
    if (page.length < ROWS_A_PAGE) break
    after = page.at(-1)!
  }
  const [found] = await database.read<{ isSettled: boolean }>(sql`
    select not exists (select from ingest_batches where relayed_at is null and first_position <= ${upTo})
       and not exists (
         select from (select last_position, committed_at from ingest_batches
                       where first_position <= ${upTo} order by first_position desc limit 1) b
          where b.last_position >= ${upTo}
            and b.committed_at > statement_timestamp() - make_interval(secs => ${settledSeconds}::float8)) as "isSettled"`)
  return { obstacle: found!.isSettled ? null : 'too-new', upTo }
}

/** The events of a month in lists, up to a position, oldest first, in pages. An event that moves meanwhile may come twice. */
export async function* readMonth(
  { database }: Store,
  month: string,
  upTo: bigint,
): AsyncGenerator<readonly ArchiveLine[], void> {
  for (let after = beginningOf(month); ;) {
    const page: readonly ArchiveLine[] = await database.read<ArchiveLine>(sql`
      select ${PLACE}, e.position, e.signature, e.transaction_index as "transactionIndex", e.commitment, e.name,
             e.data::text as data
        ${pageOf(month, after, sql`(e.position > ${hidden(sql`${upTo}::bigint`)}) is not true`)}`)
    if (page.length > 0) yield page
    if (page.length < ROWS_A_PAGE) return
    after = page.at(-1)!
  }
}
