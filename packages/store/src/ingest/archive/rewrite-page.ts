// Shortens and fills `data` of archived events, in place and in pages. A page takes no writer lock, and never waits for a row
// while it holds others: ingest waits for one page at most, and no deadlock can arise. Columns stay, so counts, repetitions and rebuilds
// never read the archive.
import { columnTable } from '../../core/database/columns.js'
import { PAGE_LIMITS } from '../../core/database/database.js'
import type { Store } from '../../core/database/open-store.js'
import { sql, type Sql } from '../../core/database/sql.js'
import { DATA_TEXT, IS_COMPACT } from '../../core/tables/payment-data.js'
import { ServiceError } from '@payment-tracking/runtime'
import type { ArchiveLine } from './archive-line.js'
import { isStill, type ArchivePart } from './archive-head.js'

/** A file of the archive does not hold what the database says: no event of its page is changed. */
export class ArchiveDiffersError extends ServiceError {
  readonly code = 'ARCHIVE_DIFFERS'
  readonly retry = 'never'
}

const LINES = columnTable<ArchiveLine>('l', {
  id: ['uuid', ({ id }) => id],
  position: ['bigint', ({ position }) => position],
  slot: ['bigint', ({ slot }) => slot],
  signature: ['text', ({ signature }) => signature],
  name: ['text', ({ name }) => name],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
  data: ['text', ({ data }) => data, 'lines'],
})

/** Whether an event `e` is that of a line `l`. */
const IS_SAME = sql`e.id = l.id and e.position = l.position and e.slot = l.slot and e.signature = l.signature
  and e.name = l.name and e.occurred_at = l.occurred_at and (e.shrunk or ${DATA_TEXT} = l.data)`

/**
 * Payments shrink, but those whose data are compact: there is nothing to gain. Reading a field fails if the data contain an escaped
 * NUL anywhere: such an event stays as it is.
 */
const IS_LONG = sql`(not e.shrunk and e.amount is not null and not ${IS_COMPACT} and e.data::text not like '%\\u0000%')`

/**
 * What stays of a payment: the payer, the recipient and the mint that its message named. core/tables/stored-events.ts knows by them
 * which details came from the message. All other details of a payment are columns.
 */
const SHORT = sql`json_strip_nulls(json_build_object(
  'payer', e.data -> 'payer', 'recipient', e.data -> 'recipient', 'token_mint', e.data -> 'token_mint'))`

/** Changes the events of lines that are free, and pass a condition. SQL: skips locked rows. */
const change = (lines: readonly ArchiveLine[], condition: Sql, set: Sql): Sql => sql`
  update events e set ${set}
    from (select e.id, l.data from ${LINES.listOf(lines)} join events e on ${IS_SAME} and ${condition}
             for no key update of e skip locked) l
   where e.id = l.id`

/** How many lines have their event, and how many of these events pass a condition. */
const countStored = (lines: readonly ArchiveLine[], condition: Sql): Sql => sql`
  select count(*)::integer as stored, count(*) filter (where ${condition})::integer as "remaining"
    from ${LINES.listOf(lines)} join events e on ${IS_SAME}`

/** A page joins its lines one by one: no plan for it reads all events. */
const BY_KEY = sql`select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

/**
 * Shortens `data` of some events, or fills it from the archive's file: the state of the part says which.
 * @param lines of that file. The caller has just read and verified it
 * @returns how many events other transactions hold: the caller repeats the page until it is 0. Null when the part has changed its
 *   state, or when another server has taken over
 * @throws ArchiveDiffersError when an event and its line differ: the page is not changed
 */
export const rewriteArchivePage = (
  { database }: Store,
  part: ArchivePart,
  lines: readonly ArchiveLine[],
): Promise<number | null> =>
  database.transaction(async tx => {
    const [found] = await tx.$queryRaw<object[]>(
      sql`select part from archive_parts where ${isStill(part)} for share`,
    )
    if (found === undefined) return null
    await tx.$queryRaw(BY_KEY)
    const isShrinking = part.state === 'shrinking'
    const condition = isShrinking ? IS_LONG : sql`e.shrunk`
    const set = isShrinking ? sql`data = ${SHORT}, shrunk = true` : sql`data = l.data::json, shrunk = false`
    await tx.$executeRaw(change(lines, condition, set))
    const [row] = await tx.$queryRaw<{ stored: number; remaining: number }[]>(countStored(lines, condition))
    const { stored, remaining } = row!
    if (stored !== lines.length)
      throw new ArchiveDiffersError(
        `${part.file} and the database differ in ${lines.length - stored} of ${lines.length} events: bring back what was changed from a copy`,
      )
    return remaining
  }, PAGE_LIMITS)

/** How many of some lines have their event. */
export const countArchived = ({ database }: Store, lines: readonly ArchiveLine[]): Promise<number> =>
  database.transaction(async tx => {
    await tx.$queryRaw(BY_KEY)
    const [row] = await tx.$queryRaw<{ stored: number }[]>(countStored(lines, sql`false`))
    return row!.stored
  }, PAGE_LIMITS)
