// Which feeds went on, or lost a reader, since a check: for the requests of one process that wait.
import { inline, sql, type Store } from '../../core/database/sql.js'

/** Where a check ended. */
export interface FeedMark {
  epoch: string
  position: bigint
  sequence: bigint
  /** the newest change that somebody made; a key may have been revoked by it */
  change: bigint
}

export interface FeedsSince {
  mark: FeedMark
  /** null where too much came since to name them: any feed may have gone on */
  gateways: readonly string[] | null
}

/** The most events, changes, and other messages, that a check reads. */
const MOST_READ = 2_000

/** Reads by key of what came since; at most 2,000 rows of each. @param since null: any feed may have gone on */
export async function readFeedsSince({ database }: Store, since: FeedMark | null): Promise<FeedsSince> {
  const [mark] = await database.lookUp<FeedMark>(sql`
    select epoch::text as epoch, position, coalesce((select max(sequence) from messages where sequence > 0), 0) as sequence,
           coalesce((select max(id) from gateway_changes), 0) as change
      from stream_head`)
  const { epoch, position, sequence, change } = mark!
  if (since === null || since.epoch !== epoch || position - since.position > BigInt(MOST_READ))
    return { mark: mark!, gateways: null }
  const rows = await database.lookUp<{ gateway: string }>(sql`
    select gateway from events where position > ${since.position} and position <= ${position} and amount is not null
    union all
    (select gateway from messages where sequence > 0 and sequence > ${since.sequence} and sequence <= ${sequence}
      order by sequence limit ${inline(MOST_READ + 1)})
    union all
    (select gateway from gateway_changes where id > ${since.change} and id <= ${change}
      order by id limit ${inline(MOST_READ + 1)})`)
  const isCut = rows.length > MOST_READ
  return { mark: mark!, gateways: isCut ? null : [...new Set(rows.map(({ gateway }) => gateway))] }
}
