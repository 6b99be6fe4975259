// Where lists begin, and the files of what lies before: the columns of stream_head and the rows of archive_parts change together.
import { empty, sql, type Sql, type Store } from '../../core/database/sql.js'
import { lockHead } from '../../core/tables/head.js'

/** A file of events of one month. */
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
  /** `data` of its events is being shortened, or filled from the file; then all is short, or whole */
  state: 'shrinking' | 'archived' | 'filling' | 'filled'
  /** the run of the server that said so: another server may lack pages that this one had changed */
  serverRun: string
}

export type WrittenPart = Omit<ArchivePart, 'state' | 'serverRun'>

export const IS_PAUSED = sql`(select archive_paused_until > statement_timestamp() from stream_head)`

export interface ArchiveHead {
  /** events before this time were archived; null before the first archive */
  listsBegin: Date | null
  /** all events before this position were archived */
  firstPosition: bigint
  /** events before `listsBegin` up to this position are in files */
  archivedPosition: bigint
  /** nothing may be archived: somebody asked for old events */
  isPaused: boolean
}

export async function readArchiveHead({ database }: Store): Promise<ArchiveHead> {
  const [head] = await database.read<ArchiveHead>(sql`
    select nullif(lists_begin, '-infinity') as "listsBegin", first_position as "firstPosition",
           archived_position as "archivedPosition", ${IS_PAUSED} is true as "isPaused" from stream_head`)
  return head!
}

const SERVER_RUN = sql`extract(epoch from pg_postmaster_start_time())::text`

/** Whether a row of archive_parts, and the server, are as they were read. */
export const isStill = ({ month, part, sha256, state, serverRun }: ArchivePart): Sql => sql`
  month = ${month} and part = ${part}::integer and sha256 = ${sha256} and state = ${state} and ${SERVER_RUN} = ${serverRun}`

/** The files of a month or of all, or those in a state. */
export const listArchiveParts = (
  { database }: Store,
  { month, state }: { month?: string; state?: ArchivePart['state'] } = {},
): Promise<readonly ArchivePart[]> =>
  database.read<ArchivePart>(sql`
    select month, part, file, sha256, bytes, count, first_position as "firstPosition", last_position as "lastPosition", state,
           ${SERVER_RUN} as "serverRun"
      from archive_parts
     where true ${month === undefined ? empty : sql`and month = ${month}`} ${state === undefined ? empty : sql`and state = ${state}`}
     order by month, part`)

/**
 * Archives events that the caller has written to files. The caller has also read the files back and compared them. After the commit
 * lists no longer show these events, and the column `data` of the events may be shortened. SQL: compares with what is stored.
 * @param before the head as the caller read it, in the same snapshot as the events
 * @param now the new head
 * @param serverRun which run of the Postgres server the caller has verified (see `lockHead`)
 * @returns false when another process has archived or restored in between. Then nothing has changed, and nobody uses the files
 */
export const moveArchiveHead = (
  { database }: Store,
  before: ArchiveHead,
  now: ArchiveHead,
  parts: readonly WrittenPart[],
  serverRun?: string,
): Promise<boolean> =>
  database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    const moved = await tx.$executeRaw`
      update stream_head
         set lists_begin = coalesce(${now.listsBegin}::timestamptz, '-infinity'), first_position = ${now.firstPosition},
             archived_position = ${now.archivedPosition}
       where lists_begin = coalesce(${before.listsBegin}::timestamptz, '-infinity')
         and archived_position = ${before.archivedPosition} and ${IS_PAUSED} is not true
         and not exists (select from archive_parts where state in ('filling', 'filled'))`
    if (moved === 1 && parts.length > 0)
      tx.sendModel(client => client.archivePart.createMany({ data: [...parts] }))
    return moved === 1
  })

/** All events of the file are short, or whole. SQL: compares with the run of the server. */
export const endRewriting = async ({ database }: Store, part: ArchivePart): Promise<void> => {
  const state = part.state === 'filling' ? 'filled' : 'archived'
  await database.execute(sql`update archive_parts set state = ${state} where ${isStill(part)}`)
}

/**
 * Asks for the events since a month: from then on they are filled, and nothing is archived for some days. SQL: the database's
 * clock.
 */
export const beginRestore = ({ database }: Store, month: string, pauseDays: number): Promise<void> =>
  database.pipelinedTransaction(async tx => {
    await lockHead(tx)
    const where = { month: { gte: month }, state: { in: ['shrinking', 'archived'] } }
    tx.sendModel(client => client.archivePart.updateMany({ where, data: { state: 'filling' } }))
    tx.send(
      sql`update stream_head set archive_paused_until = clock_timestamp() + make_interval(days => ${pauseDays}::integer)`,
    )
  })

/**
 * Lets lists begin with the first month that was filled, and forgets its files, once nothing is left to fill. SQL: joins
 * tables.
 */
export const endRestore = ({ database }: Store): Promise<void> =>
  database.pipelinedTransaction(async tx => {
    await lockHead(tx)
    const moved = await tx.$executeRaw`
      update stream_head h
         set lists_begin = (p.month || '-01')::timestamp at time zone 'UTC', first_position = least(h.first_position, p.first)
        from (select min(month) as month, min(first_position) as first, bool_and(state = 'filled') as is_filled
                from archive_parts where state in ('filling', 'filled')) p
       where p.is_filled`
    if (moved === 1) tx.sendModel(client => client.archivePart.deleteMany({ where: { state: 'filled' } }))
  })
