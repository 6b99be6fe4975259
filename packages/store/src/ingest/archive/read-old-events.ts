// The events that are to be archived.
import type { Store } from '../../core/database/open-store.js'
import { hidden, inline, sql, type Sql } from '../../core/database/sql.js'
import { LISTS_BEGIN } from '../../core/tables/lists-begin.js'
import { DATA_TEXT } from '../../core/tables/payment-data.js'
import { IS_PAUSED, type ArchiveHead } from './archive-head.js'
import type { ArchiveLine } from './archive-line.js'
import { monthOf, spanOfMonth } from './months.js'

/** An event that is to be archived. */
export interface OldEvent extends ArchiveLine {
  /** final or retracted */
  isFinal: boolean
}

const ROWS_A_PAGE = 1_000
const POSITIONS_A_PAGE = 5_000n

const columnsWith = (data: Sql): Sql => sql`
  e.id, e.position, e.slot, e.signature, e.event_index as index, e.transaction_index as "transactionIndex", e.commitment,
  e.name, e.occurred_at as "occurredAt", ${data} as data,
  e.retracted_at is not null or e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head) as "isFinal"`

/** The oldest month with events in lists that ends before a time; null without one, and while the archive is paused. */
export async function findOldMonth({ database }: Store, before: Date): Promise<string | null> {
  const [row] = await database.read<{ occurredAt: Date }>(sql`
    select occurred_at as "occurredAt" from events
     where occurred_at >= ${LISTS_BEGIN} and occurred_at < ${hidden(sql`${before}::timestamptz`)} and ${IS_PAUSED} is not true
     order by occurred_at limit 1`)
  return row === undefined ? null : monthOf(row.occurredAt)
}

/**
 * The events of a month, oldest first, in pages. Statistics that are older than the month say that the month has few events.
 * Postgres would then read and sort the whole month for each page. So the values are hidden from the planner. It then assumes
 * that many events match, and reads the index events_newest only until the page is full.
 * @param data of the events; default: all of it
 */
export async function* readMonth(
  { database }: Store,
  month: string,
  data = DATA_TEXT,
): AsyncGenerator<readonly OldEvent[], void> {
  const { start, end } = spanOfMonth(month)
  // Before all events of the month, which have no negative slots.
  let after = { occurredAt: start, slot: -1n, index: 0n, id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const { occurredAt, slot, index, id } = after
    const page: readonly OldEvent[] = await database.read<OldEvent>(sql`
      select ${columnsWith(data)} from events e
       where (e.occurred_at, e.slot, e.event_index, e.id)
             > (${hidden(sql`${occurredAt}::timestamptz`)}, ${hidden(sql`${slot}::bigint`)}, ${hidden(sql`${index}::bigint`)},
                ${hidden(sql`${id}::uuid`)})
         and e.occurred_at < ${hidden(sql`${end}::timestamptz`)}
       order by e.occurred_at, e.slot, e.event_index, e.id limit ${inline(ROWS_A_PAGE)}`)
    if (page.length > 0) yield page
    if (page.length < ROWS_A_PAGE) return
    after = page.at(-1)!
  }
}

/** Why the events of a month may not be archived yet. */
export type ArchiveObstacle = 'not-final' | 'too-new'

export interface MonthSurvey {
  obstacle: ArchiveObstacle | null
  /** the oldest event that is neither final nor retracted */
  held?: { signature: string; slot: bigint }
}

/** Says whether the events of a month may be archived: each must be final or retracted, and settled. @param settled see `readLate` */
export async function surveyMonth(
  store: Store,
  month: string,
  { settled, stop }: { settled: bigint; stop: AbortSignal },
): Promise<MonthSurvey> {
  let isNew = false
  for await (const page of readMonth(store, month, sql`''`)) {
    stop.throwIfAborted()
    const held = page.find(({ isFinal }) => !isFinal)
    if (held) return { obstacle: 'not-final', held: { signature: held.signature, slot: held.slot } }
    isNew ||= page.some(({ position }) => position > settled)
  }
  return { obstacle: isNew ? 'too-new' : null }
}

/**
 * Events that happened before lists begin, and came late: after the position of a head. Reads at most a page of positions.
 * Relies on ingest_batches_first_position_key, ingest_batches_pending and events_position_key.
 * @returns also the position up to which all events were stored some time ago and announced, and all late ones are final;
 *   `held` is the first that is not final
 */
export async function readLate(
  { database }: Store,
  { archivedPosition: after }: ArchiveHead,
  settledSeconds: number,
): Promise<{ late: readonly OldEvent[]; settled: bigint; held?: OldEvent }> {
  const upTo = after + POSITIONS_A_PAGE
  const [row] = await database.read<{ settled: bigint }>(sql`
    select greatest(${after}::bigint, least(${upTo}::bigint, position,
             (select first_position - 1 from ingest_batches where relayed_at is null order by id limit 1),
             (select first_position - 1 from ingest_batches
               where first_position > ${after} and first_position <= ${upTo}
                 and committed_at > statement_timestamp() - make_interval(secs => ${settledSeconds}::float8)
               order by first_position limit 1))) as settled
      from stream_head`)
  const { settled } = row!
  const late = await database.read<OldEvent>(sql`
    select ${columnsWith(DATA_TEXT)} from events e
     where e.position > ${after} and e.position <= ${settled} and e.occurred_at < ${LISTS_BEGIN} order by e.position`)
  const held = late.find(({ isFinal }) => !isFinal)
  return held ? { late, settled: held.position - 1n, held } : { late, settled }
}

/** The first position of an event that is not archived by a head. Reads each archived position once in its life. */
export async function findFirstPosition(
  { database }: Store,
  { listsBegin, firstPosition, archivedPosition }: ArchiveHead,
  stop: AbortSignal,
): Promise<bigint> {
  for (let from = firstPosition; ; stop.throwIfAborted()) {
    const [page] = await database.read<{ first: bigint | null; last: bigint | null }>(sql`
      select min(position) filter (where occurred_at >= coalesce(${listsBegin}::timestamptz, '-infinity') or position > ${archivedPosition}) as first,
             max(position) as last
        from (select position, occurred_at from events where position >= ${from} order by position
               limit ${inline(POSITIONS_A_PAGE)}) e`)
    const { first, last } = page!
    if (first !== null || last === null) return first ?? from
    from = last + 1n
  }
}
