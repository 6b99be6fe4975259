// The rows of archive_moves: months that are in no list, for their events move into the archive, or back.
import type { Store } from '../database/open-store.js'
import { raw, sql, type Sql } from '../database/sql.js'
import { lockHead } from '../rows/head.js'

/** Whether the rows of a part are not yet where they are wanted. */
export const IS_UNFINISHED = sql`moved <> case wanted when 'archived' then count else 0 end`

/** The span of `month`, a column. */
const START = raw(`(month || '-01')::timestamp`)
const SPAN = sql`${START} at time zone 'UTC', (${START} + interval '1 month') at time zone 'UTC'`

/** Begins the move of each month of a statement. @param months rows of `month` and `up_to` */
export const beginMoves = (months: Sql): Sql => sql`
  insert into archive_moves as m (month, starts_at, ends_at, up_to)
  select month, ${SPAN}, up_to from (${months}) t
  on conflict (month) do update set up_to = greatest(m.up_to, excluded.up_to)`

export interface ArchiveMove {
  month: string
  /** the last position of its events that move */
  upTo: bigint
  /** its events move back */
  isRestored: boolean
}

/** A month that moves, the earliest one. */
export async function readArchiveMove({ database }: Store): Promise<ArchiveMove | undefined> {
  const [move] = await database.read<ArchiveMove>(sql`
    select m.month, m.up_to as "upTo",
           exists (select from archive_parts p where p.month = m.month and p.wanted = 'live') as "isRestored"
      from archive_moves m order by m.month limit 1`)
  return move
}

/** The month is whole again, in lists or in the archive. Nothing changes while a part of it is unfinished. */
export async function endArchiveMove({ database }: Store, month: string, serverRun?: string): Promise<void> {
  await database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    tx.send(sql`
      delete from archive_moves where month = ${month}
         and not exists (select from archive_parts p where p.month = ${month} and ${IS_UNFINISHED})`)
  })
}
