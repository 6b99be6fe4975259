// Moves rows between the two partitions of events, one page a transaction, under the writer lock: beside what ingest does, a
// row is in one place, and a crash loses at most the page that was not committed.
import { columnTable } from '../database/columns.js'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { ServiceError } from '@payment-tracking/runtime'
import { lockHead } from '../ingest/head.js'
import type { PageSizer } from '../ingest/page-sizer.js'
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
 * What an archived event keeps of its message: all, unless it is a payment. Its columns hold what is asked of a payment, but
 * not which facts its message had. rows/stored-events.ts reads it.
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
 * Moves the next page of a part to where its rows are wanted. A row moves into archived_events only if the file says the same
 * of it as the database does.
 * @param lines all lines of the part's file, which was read just now
 * @returns false when all rows are where they are wanted
 * @throws ArchiveDiffersError, StoreUnverifiedError
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
    const count = await tx.$executeRaw(wanted === 'archived' ? moveIn(page) : moveBack(page))
    if (count !== page.length)
      throw new ArchiveDiffersError(
        `${file} and the database differ in ${page.length - count} of ${page.length} events`,
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

const moveIn = (page: readonly ArchiveLine[]): Sql => sql`
  update events e set archived = true, data = ${KEPT}
    from ${LINES.listOf(page)} where ${IS_SAME} and not e.archived and e.data::text = l.data`

const moveBack = (page: readonly ArchiveLine[]): Sql => sql`
  update events e set archived = false, data = l.data::json
    from ${LINES.listOf(page)} where ${IS_SAME} and e.archived`

/** How many of some lines are events of the archive. */
export async function countArchived({ database }: Store, page: readonly ArchiveLine[]): Promise<number> {
  const [row] = await database.read<{ count: number }>(sql`
    select count(*)::integer as count from ${LINES.listOf(page)} join events e on ${IS_SAME} and e.archived`)
  return row!.count
}
