// Checks that ingest still writes to the same database. A promoted standby or a restored backup can lack the last commits.
// Other payments would then get positions and `seq` that clients know already. So the epoch changes, and ingest reads the
// lost messages again from the stream.
import { PAGE_LIMITS, sql, type Store, type Tx } from '../../core/database/sql.js'
import { rowOf } from '../../core/database/head-tracker.js'
import type { StreamPlace } from '../../core/tables/head.js'
import { sqlStateOf, StoreUnavailableError } from '../../core/errors.js'

/** The head of the database, as stored outside of Postgres. */
export interface StoredHead {
  epochNumber: number
  epoch: string
  position: bigint
}

/** Reads the record of a database. @param lineage names server and database, through promotions and restores */
export type ReadStoredHead = (lineage: string) => Promise<StoredHead | null>

export interface VerifiedDatabase extends StoredHead {
  /** names system identifier and database: the same on a standby and in a restored base backup */
  lineage: string
  /** the run of the Postgres server that was verified; `commitBatch` refuses to write on another one */
  serverRun: string
  /** where to read the stream again from; null when no message is missing */
  reingestFrom: StreamPlace | null
  /** why this call changed the epoch; null when it did not */
  change: string | null
}

type HeadNow = StoredHead & Pick<VerifiedDatabase, 'serverRun' | 'reingestFrom'>

interface FoundHead extends StoredHead {
  serverRun: string
  verifiedTimeline: string | null
  from: bigint | null
  fromStream: Date | null
}

const HEAD = sql`
  select epoch::text as epoch, position, epoch_number as "epochNumber", verified_timeline as "verifiedTimeline",
         reingest_from as "from", reingest_created_at as "fromStream", extract(epoch from pg_postmaster_start_time())::text as "serverRun"
    from stream_head where id = 1`

function toHead({
  epoch,
  position,
  epochNumber,
  serverRun,
  from,
  fromStream: createdAt,
}: FoundHead): HeadNow {
  const reingestFrom = from === null ? null : { createdAt, sequence: from }
  return { epoch, position, epochNumber, serverRun, reingestFrom }
}

/**
 * Compares the database with the last check, under the writer lock. Changes the epoch in two cases:
 * - The server, database or timeline differs: a standby was promoted, or a backup or dump was restored.
 * - The record outside of Postgres has a later position or epoch number: an older snapshot of the disk was put back.
 *
 * A part that an earlier change left to read again stays so. Of another stream than the head's, that part begins before
 * everything that is missing: a stream that was made later is read from its beginning.
 * SQL: locks, and compares with what is stored.
 * @param readRecord if it rejects, the second case is not checked
 * @param reingestMargin how many messages before the last stored message may have been committed after that message
 * @throws StoreUnavailableError also while the server is a standby
 */
export async function verifyDatabase(
  store: Store,
  { readRecord, reingestMargin }: { readRecord: ReadStoredHead; reingestMargin: number },
): Promise<VerifiedDatabase> {
  const { lineage, timeline } = await readIdentity(store)
  // Read before the head: the record is written after a commit, so the head read later is never before it.
  const record = await readRecord(lineage).catch(() => null)
  return store.database.transaction(async tx => {
    const head = await lockHeadRow(tx)
    const present = `${lineage}:${timeline}`
    const change = findChange(head, present, record)
    if (change === null) {
      if (head.verifiedTimeline !== present)
        await tx.streamHead.updateMany({ where: { id: 1 }, data: { verifiedTimeline: present } })
      return { ...toHead(head), lineage, change: null }
    }
    const epochNumber = Math.max(head.epochNumber, record?.epochNumber ?? 0) + 1
    // Before this check, workers on this server may have written messages for feeds. Such a message has the position of the head.
    await tx.$executeRaw`
      insert into earlier_epochs (epoch, last_position, last_sequence)
      select h.epoch, h.position, coalesce((select max(m.sequence) from messages m where m.sequence > 0 and m.position < h.position), 0)
        from stream_head h where h.id = 1`
    await tx.$executeRaw`
      update stream_head set epoch = gen_random_uuid(), verified_timeline = ${present}, epoch_number = ${epochNumber},
             reingest_from = case when reingest_from is null then lost.since
                                  when reingest_created_at = stream_created_at then least(reingest_from, lost.since)
                                  else reingest_from end,
             reingest_created_at = case when reingest_from is null then stream_created_at else reingest_created_at end
        from (select greatest(1, stream_sequence - ${reingestMargin}) as since from stream_head where id = 1) lost
       where id = 1`
    return { ...toHead(await lockHeadRow(tx)), lineage, change }
  }, PAGE_LIMITS)
}

/** @returns why commits may be missing, or null */
function findChange(head: FoundHead, present: string, record: StoredHead | null): string | null {
  // No client knows anything of an empty database.
  if (head.position > 0n && head.verifiedTimeline !== null && head.verifiedTimeline !== present) {
    return `the server was ${head.verifiedTimeline} (system, database, timeline) and is ${present}`
  }
  if (record === null) return null
  if (record.epochNumber > head.epochNumber) return 'the database is older than the last change of its epoch'
  if (record.epochNumber === head.epochNumber && record.epoch !== head.epoch)
    return 'another database with the same past was written to'
  if (record.epochNumber === head.epochNumber && record.position > head.position)
    return `position ${record.position} was committed, and the database ends at ${head.position}`
  return null
}

const lockHeadRow = async (tx: Tx): Promise<FoundHead> =>
  rowOf(await tx.$queryRaw<FoundHead[]>`${HEAD} for update`)

async function readIdentity(store: Store): Promise<{ lineage: string; timeline: string }> {
  const [row] = await store.database.read<{ database: string; timeline: string | null }>(sql`
    select (select oid::text from pg_database where datname = current_database()) as database,
           case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`)
  if (row!.timeline === null)
    throw new StoreUnavailableError('the server is a standby that is not promoted: it only reads')
  return { lineage: `${await readSystem(store)}:${row!.database}`, timeline: row!.timeline }
}

/** Some managed servers do not show their system identifier: there the timeline and the outside record must suffice. */
async function readSystem({ database }: Store): Promise<string> {
  try {
    const [row] = await database.read<{ system: string }>(sql`
      select system_identifier::text as system from pg_control_system()`)
    return row!.system
  } catch (error) {
    if (sqlStateOf(error) === '42501' || sqlStateOf(error) === '42883') return 'unknown'
    throw error
  }
}

/** The values that change when the database is replaced, in one cheap read without a lock. */
export const readHeadNow = async ({ database }: Store): Promise<HeadNow> =>
  toHead(rowOf(await database.read<FoundHead>(HEAD)))

/**
 * Records how far the stream was read again, so that after a crash a reader goes on from there.
 * @param before the place that this reader found at its start, or recorded last
 * @param next the first message that this reader has not stored yet
 * @returns false when the recorded place is no longer `before`: another reader moved it, or another loss began
 */
export async function moveReingest(
  { database }: Store,
  epoch: string,
  before: StreamPlace,
  next: StreamPlace,
): Promise<boolean> {
  const where = { id: 1, epoch, reingestFrom: before.sequence, reingestCreatedAt: before.createdAt }
  const data = { reingestFrom: next.sequence, reingestCreatedAt: next.createdAt }
  const { count } = await database.withModels(client => client.streamHead.updateMany({ where, data }))
  return count === 1
}

/** Records that a reader has read the stream again to its end, and that no message of the epoch is missing. */
export function markReingested({ database }: Store, epoch: string): Promise<unknown> {
  const data = { reingestFrom: null, reingestCreatedAt: null }
  return database.withModels(client => client.streamHead.updateMany({ where: { id: 1, epoch }, data }))
}
