import { allOf, bigints, raw, sql, type DeadLetter, type Sql, type Store } from '../../core/database/sql.js'

/** A refused message in a list. Subject, reason and bytes are foreign input: escape them. */
export interface DeadLetterRow extends Omit<DeadLetter, 'bytes' | 'streamCreatedAt' | 'signature'> {
  /** stored bytes; less than `size` when the message was cut */
  kept: number
}

export interface DeadLetterBytes extends DeadLetterRow {
  bytes: Uint8Array
}

export interface DeadLetterFilter {
  code?: string | undefined
  /** only letters that were not replayed yet */
  openOnly: boolean
  /** only letters older than this letter */
  before?: bigint | undefined
  limit: number
}

const DEAD_LETTER_COLUMNS = sql`id, stream, stream_sequence as "streamSequence", subject, code, reason, size,
  length(bytes) as kept, received_at as "receivedAt", replayed_at as "replayedAt"`

/** Relies on dead_letters_code, or on the primary key without a code. */
const condition = ({ code, openOnly, before }: Omit<DeadLetterFilter, 'limit'>): Sql =>
  allOf([
    ...(code === undefined ? [] : [sql`code = ${code}`]),
    ...(openOnly ? [sql`replayed_at is null`] : []),
    ...(before === undefined ? [] : [sql`id < ${before}`]),
  ])

/** Newest first. */
export const listDeadLetters = (
  { database }: Store,
  filter: DeadLetterFilter,
): Promise<readonly DeadLetterRow[]> =>
  database.read<DeadLetterRow>(sql`
    select ${DEAD_LETTER_COLUMNS} from dead_letters where ${condition(filter)} order by id desc limit ${filter.limit}`)

/** The most letters of a code that are counted, the newest. */
const MOST_COUNTED = raw('10000')

/** By code, at most 10,000. Steps from code to code by dead_letters_code. */
export const countDeadLetters = ({
  database,
}: Store): Promise<readonly { code: string; open: bigint; total: bigint }[]> =>
  database.read(sql`
    with recursive codes (code) as (
      (select code from dead_letters order by code limit 1)
      union all
      select (select l.code from dead_letters l where l.code > c.code order by l.code limit 1) from codes c
       where c.code is not null)
    select c.code, l.open, l.total
      from codes c
     cross join lateral (
       select count(*) filter (where l.replayed_at is null) as open, count(*) as total
         from (select l.replayed_at from dead_letters l where l.code = c.code order by l.id desc limit ${MOST_COUNTED}) l) l
     where c.code is not null order by c.code`)

/** The letters with their bytes, oldest first: a replay keeps their order. */
export const readDeadLetters = (
  { database }: Store,
  ids: readonly bigint[],
): Promise<readonly DeadLetterBytes[]> =>
  database.read<DeadLetterBytes>(sql`
    select ${DEAD_LETTER_COLUMNS}, bytes from dead_letters where id = any(${bigints(ids)}) order by id`)

/** Ids of the letters that match a filter, oldest first. */
export const findDeadLetterIds = async ({ database }: Store, filter: DeadLetterFilter): Promise<bigint[]> => {
  const rows = await database.read<{ id: bigint }>(sql`
    select id from dead_letters where ${condition(filter)} order by id limit ${filter.limit}`)
  return rows.map(({ id }) => id)
}

/** Marks letters whose bytes are in the stream again. SQL: the database's clock. */
export const markReplayed = ({ database }: Store, ids: readonly bigint[]): Promise<unknown> =>
  database.execute(sql`
    update dead_letters set replayed_at = clock_timestamp() where id = any(${bigints(ids)})`)
