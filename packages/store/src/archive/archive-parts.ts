// The rows of archive_parts: which files hold archived events, and how far each was moved.
import type { Store } from '../database/open-store.js'
import { empty, sql, type Sql } from '../database/sql.js'
import { lockHead } from '../rows/head.js'
import { beginMoves, IS_UNFINISHED } from './archive-moves.js'

/** A file of events of one month, and where its events are. */
export interface ArchivePart {
  /** `2026-03` */
  month: string
  /** counts the files of the month from 1 */
  part: number
  /** the name of the file in the archive */
  file: string
  /** of the file's bytes, in hex */
  sha256: string
  bytes: bigint
  count: number
  firstPosition: bigint
  lastPosition: bigint
  /** the first of its lines that are rows of archived_events */
  moved: number
  /** whether its rows move into archived_events, or back */
  wanted: 'archived' | 'live'
  /** when somebody asked for its events */
  restoredAt: Date | null
}

export type WrittenPart = Omit<ArchivePart, 'moved' | 'wanted' | 'restoredAt'>

const COLUMNS = sql`month, part, file, sha256, bytes, count, first_position as "firstPosition",
  last_position as "lastPosition", moved, wanted, restored_at as "restoredAt"`

const list = ({ database }: Store, condition: Sql, limit = empty) =>
  database.read<ArchivePart>(
    sql`select ${COLUMNS} from archive_parts where ${condition} order by month, part ${limit}`,
  )

/** Of one month, or of all. */
export const listArchiveParts = (store: Store, month?: string): Promise<readonly ArchivePart[]> =>
  list(store, month === undefined ? sql`true` : sql`month = ${month}`)

/** The first part whose rows are not yet where they are wanted. */
export const readUnfinishedPart = async (store: Store): Promise<ArchivePart | undefined> =>
  (await list(store, IS_UNFINISHED, sql`limit 1`))[0]

const IS_ATTACHED = sql`exists (select from pg_inherits where inhrelid = 'archived_events'::regclass)`

/**
 * Records a file that was written and read back. From then on the rows of the file may move. The first file of a month takes the
 * month out of the lists. The first file of all makes archived_events a partition of `events`.
 * @param upTo the highest position of an event of the month that moves
 * @returns false when another process has recorded the part or restored the month; the file is not used then
 */
export async function beginArchivePart(
  { database }: Store,
  part: WrittenPart,
  { upTo, serverRun }: { upTo: bigint; serverRun?: string | undefined },
): Promise<boolean> {
  return database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    const [found] = await tx.$queryRaw<{ attached: boolean }[]>`select ${IS_ATTACHED} as attached`
    if (!found!.attached) {
      // Nobody reads the table before. What else holds a lock on `events` must not make ingest wait.
      tx.send(sql`set local lock_timeout = '1s'`)
      tx.send(sql`alter table events attach partition archived_events for values in (true)`)
    }
    const begun = await tx.$executeRaw`
      insert into archive_parts (month, part, file, sha256, bytes, count, first_position, last_position)
      select ${part.month}, ${part.part}::integer, ${part.file}, ${part.sha256}, ${part.bytes}, ${part.count}::integer,
             ${part.firstPosition}, ${part.lastPosition}
       where not exists (select from archive_parts where month = ${part.month} and wanted = 'live')
      on conflict do nothing`
    if (begun === 1) tx.send(beginMoves(sql`select ${part.month}::text as month, ${upTo}::bigint as up_to`))
    return begun === 1
  })
}

/** Wants the rows of parts elsewhere: their months leave the lists, and move. */
const wantElsewhere = ({ database }: Store, change: Sql): Promise<void> =>
  database.pipelinedTransaction(async tx => {
    await lockHead(tx)
    await tx.$executeRaw(sql`
      with wanted as (update archive_parts set ${change} returning month, last_position)
      ${beginMoves(sql`select month, max(last_position) as up_to from wanted group by month`)}`)
  })

/** Asks for the events of a month: its rows move back from then on. */
export const wantMonthLive = (store: Store, month: string): Promise<void> =>
  wantElsewhere(store, sql`wanted = 'live', restored_at = clock_timestamp() where month = ${month}`)

/** Months that were restored longer ago than this are archived again, from their files. */
export const archiveAgain = (store: Store, afterDays: number): Promise<void> =>
  wantElsewhere(
    store,
    sql`wanted = 'archived'
         where wanted = 'live' and restored_at < statement_timestamp() - make_interval(days => ${afterDays}::integer)`,
  )
