// Moves rows between live_events and archived_events. Each transaction moves one page under the writer lock, so a row is never
// in both tables, and a crash undoes one page at most.
import { columnTable } from '../database/columns.js'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { ServiceError } from '@payment-tracking/runtime'
import { lockHead } from '../rows/head.js'
import type { PageSizer } from '../work/page-sizer.js'
import type { ArchiveLine } from './archive-line.js'
import type { ArchivePart } from './archive-parts.js'

/** A file of the archive does not hold what the database says: nothing of it is moved. */
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

const IS_SAME = sql`e.id = l.id and e.position = l.position and e.slot = l.slot and e.signature = l.signature
  and e.name = l.name and e.occurred_at = l.occurred_at`

/**
 * The `data` of an archived event. An event that is no payment keeps all of it. A payment keeps the payer, the recipient and the
 * mint that its message named: rows/stored-events.ts tells by them which facts came from the message. All other facts of a
 * payment are columns.
 */
const KEPT = sql`
  case when e.amount is null then e.data
       else json_strip_nulls(json_build_object('payer', e.data -> 'payer', 'recipient', e.data -> 'recipient',
                                               'token_mint', e.data -> 'token_mint')) end`

export interface MoveOptions {
  /** chooses the rows of the page */
  sizer: Pick<PageSizer, 'rowsOf' | 'note'>
  /** the verified run of the server; see `lockHead` */
  serverRun?: string | undefined
}

/**
 * Moves the next page of a part's events into the table that the part's `wanted` names. An event moves into archived_events only
 * if its row and its line in the file are equal.
 * @param lines all lines of the part's file, in order. The caller has just read and verified the file
 * @returns whether events of the part are left to move
 * @throws ArchiveDiffersError when a row and its line differ, or the part has another file: the page does not move
 * @throws StoreUnverifiedError when the server is not the one that ingest verified
 */
export async function moveArchivePage(
  { database }: Store,
  { month, part, file, sha256 }: Pick<ArchivePart, 'month' | 'part' | 'file' | 'sha256'>,
  lines: readonly ArchiveLine[],
  { sizer, serverRun }: MoveOptions,
): Promise<boolean> {
  const rows = sizer.rowsOf('archive')
  let lockedAt = 0
  const isMore = await database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    lockedAt = performance.now()
    const [row] = await tx.$queryRaw<Pick<ArchivePart, 'moved' | 'wanted' | 'sha256'>[]>`
      select moved, wanted, sha256 from archive_parts where month = ${month} and part = ${part} for update`
    if (row?.sha256 !== sha256)
      throw new ArchiveDiffersError(`another file than ${file} was recorded for ${month}`)
    const { moved, wanted } = row
    const page =
      wanted === 'archived' ? lines.slice(moved, moved + rows) : lines.slice(Math.max(0, moved - rows), moved)
    if (page.length === 0) return false
    tx.send(BY_KEY)
    const count = await tx.$executeRaw(wanted === 'archived' ? moveIn(page) : moveBack(page))
    if (count !== page.length)
      throw new ArchiveDiffersError(
        `${file} and the database differ in ${page.length - count} of ${page.length} events: bring back what was changed from a copy`,
      )
    const now = wanted === 'archived' ? moved + count : moved - count
    tx.send(
      sql`update archive_parts set moved = ${now}::integer where month = ${month} and part = ${part}::integer`,
    )
    return now !== (wanted === 'archived' ? lines.length : 0)
  })
  if (lockedAt > 0) sizer.note('archive', performance.now() - lockedAt)
  return isMore
}

/** A page joins its lines one by one: no plan for it reads all events. */
const BY_KEY = sql`select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

const moveIn = (page: readonly ArchiveLine[]): Sql => sql`
  update events e set archived = true, data = ${KEPT}
    from ${LINES.listOf(page)} where ${IS_SAME} and not e.archived and e.data::text = l.data`

const moveBack = (page: readonly ArchiveLine[]): Sql => sql`
  update events e set archived = false, data = l.data::json
    from ${LINES.listOf(page)} where ${IS_SAME} and e.archived`

/** How many of some lines are events of the archive. Each line is looked up by the primary key. */
export async function countArchived({ database }: Store, page: readonly ArchiveLine[]): Promise<number> {
  const [row] = await database.read<{ count: number }>(sql`
    select count(*)::integer as count from ${LINES.listOf(page)}
     cross join lateral (select from events e where ${IS_SAME} and e.archived limit 1) e`)
  return row!.count
}
