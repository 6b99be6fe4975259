// Finds the extremes of an hour that lost some, and those of its day. The hour is read in one snapshot without the writer
// lock, whatever its size. Then, under the lock, the events after the snapshot are merged, and the extremes are written.
// Whatever else changes the hour meanwhile gives its work a new version: what was read is void then, and is read again.
import { DAY, HOUR, startOf, UNKNOWN_MINT } from '@payment-tracking/domain'
import { sql, type Sql, type Tx } from '../../core/database/sql.js'
import type { PipelinedTx } from '../../core/database/pipelined-transactions.js'
import { IN_USE } from '../../core/tables/head.js'
import { isPaymentOf } from '../../core/tables/payment-names.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { REQUEUE, continueAt, type Work } from '../../core/tasks/work-table.js'

/** An hour of one gateway, or of all (`ALL_GATEWAYS`). */
interface GatewayHour {
  gateway: string
  start: Date
}

const hourKey = ({ gateway, start }: GatewayHour): string => `${start.toISOString()} ${gateway}`

const toHour = (key: string): GatewayHour => {
  const end = key.indexOf(' ')
  return { start: new Date(key.slice(0, end)), gateway: key.slice(end + 1) }
}

const HOUR_MS = HOUR * 1_000

/**
 * Writes down work for hours that lost extremes, or whose days did. Work that is under way begins again. SQL: a model upserts
 * one row in a statement.
 */
export function recountLater(tx: PipelinedTx, hours: readonly GatewayHour[]): void {
  if (hours.length === 0) return
  tx.send(sql`
    insert into work (kind, key) select 'hour', * from unnest(${keysOf(hours)}::text[])
    on conflict (kind, key) do update set cursor = '', ${REQUEUE}`)
}

/** Makes void what is being read of some hours. SQL: a number of a sequence. */
export function recountAnew(tx: PipelinedTx, hours: readonly GatewayHour[]): void {
  if (hours.length === 0) return
  tx.send(sql`
    update work set ${REQUEUE} where kind = 'hour' and key = any(${keysOf(hours)}::text[])`)
}

const keysOf = (hours: readonly GatewayHour[]): string[] => [...new Set(hours.map(hourKey))]

interface Extremes {
  min: bigint
  max: bigint
}

/** What a snapshot says of an hour. */
export interface ReadHour {
  hour: GatewayHour
  /** tokens that lack their extremes in the hour or in its day, in order; those of one page */
  tokens: string[]
  found: Map<string, Extremes>
  /** the version of the rows */
  version: number
  /** the last position of the snapshot */
  position: bigint
  /** where the next page begins; null when no token is left */
  next: string | null
}

/** @param tx of one snapshot. @param limit the most tokens of a page */
async function readHour(tx: Tx, work: Work, limit: number): Promise<ReadHour> {
  const hour = toHour(work.key)
  const isNext = work.cursor === '' ? sql`true` : sql`token_mint > ${work.cursor.slice(1)}`
  const lacking = (span: Sql, start: Date): Sql => sql`
    (select token_mint from payment_token_stats
      where ${IN_USE} and gateway = ${hour.gateway} and span = ${span} and start = ${start} and min is null and span > 0 and ${isNext}
      order by token_mint limit ${limit})`
  const [rows, [head]] = await Promise.all([
    tx.$queryRaw<{ mint: string }[]>(sql`
      select token_mint as mint from (
        ${lacking(sql`${HOUR}::int`, hour.start)} union ${lacking(sql`${DAY}::int`, startOf(DAY, hour.start))}) l
       order by token_mint limit ${limit}`),
    tx.$queryRaw<[{ position: bigint; version: number }]>(
      sql`select position, figures_version as version from stream_head where id = 1`,
    ),
  ])
  const tokens = rows.map(({ mint }) => mint)
  const found = await readExtremes(tx, sql`events e`, hour, tokens)
  const next = tokens.length < limit ? null : `>${tokens.at(-1)}`
  return { hour, tokens, found, ...head, next }
}

/** Adds what the hour got after the snapshot. Relies on events_position_key. */
async function readAfter(tx: Tx, read: ReadHour): Promise<void> {
  const [head] = await tx.$queryRaw<[{ position: bigint }]>(
    sql`select position from stream_head where id = 1`,
  )
  if (head.position === read.position) return
  const since = sql`(select * from events where position > ${read.position} and position <= ${head.position}) e`
  for (const [token, { min, max }] of await readExtremes(tx, since, read.hour, read.tokens)) {
    const known = read.found.get(token)
    read.found.set(token, {
      min: known && known.min < min ? known.min : min,
      max: known && known.max > max ? known.max : max,
    })
  }
  read.position = head.position
}

/** Relies on events_gateway_newest and events_newest. @param events the table `e` */
async function readExtremes(
  tx: Tx,
  events: Sql,
  { gateway, start }: GatewayHour,
  tokens: readonly string[],
): Promise<Map<string, Extremes>> {
  if (tokens.length === 0) return new Map()
  const mint = sql`coalesce(e.token_mint, ${UNKNOWN_MINT})`
  const rows = await tx.$queryRaw<{ mint: string; min: string; max: string }[]>(sql`
    select ${mint} as mint, min(e.amount)::text as min, max(e.amount)::text as max
      from ${events}
     where ${isPaymentOf(gateway)} and e.occurred_at >= ${start} and e.occurred_at < ${new Date(start.getTime() + HOUR_MS)}
       and ${mint} = any(${[...tokens]}::text[])
     group by 1`)
  return new Map(rows.map(({ mint, min, max }) => [mint, { min: BigInt(min), max: BigInt(max) }]))
}

/**
 * Writes the extremes of the hour, and those of its day where no other hour lacks them. The caller holds the writer lock,
 * and the work has the version that it had in the snapshot: so every row is there. SQL: a model upserts one row in a statement.
 */
async function writeHour(tx: PipelinedTx, read: ReadHour): Promise<void> {
  await readAfter(tx, read)
  const { hour, version, tokens, found } = read
  const day = startOf(DAY, hour.start)
  const hours = Array.from({ length: DAY / HOUR }, (_, at) => new Date(day.getTime() + at * HOUR_MS))
  const [mints, extremes] = [[...found.keys()], [...found.values()]]
  // Inserts, because Postgres finds each row of a conflict by its key, however it plans.
  const insert = sql`insert into payment_token_stats as s (version, gateway, span, start, token_mint, count, total, min, max)`
  const set = sql`
    on conflict (version, gateway, span, start, token_mint) do update set min = excluded.min, max = excluded.max
     where s.min is null`
  if (mints.length > 0)
    tx.send(sql`
      ${insert} select ${version}::int, ${hour.gateway}, ${HOUR}::int, ${hour.start}::timestamptz, d.token_mint, 0, 0, d.min, d.max
        from unnest(${mints}::text[], ${extremes.map(({ min }) => String(min))}::numeric[],
                    ${extremes.map(({ max }) => String(max))}::numeric[]) as d (token_mint, min, max)
      ${set}`)
  if (tokens.length > 0)
    tx.send(sql`
      ${insert} select ${version}::int, ${hour.gateway}, ${DAY}::int, ${day}::timestamptz, k.token_mint, 0, 0, h.min, h.max
        from unnest(${tokens}::text[]) as k (token_mint)
       cross join lateral (
         select min(h.min) as min, max(h.max) as max, bool_and(h.min is not null) as known
           from payment_token_stats h
          where h.version = ${version} and h.gateway = ${hour.gateway} and h.span = ${HOUR}::int and h.start = any(${hours}::timestamptz[])
            and h.token_mint = k.token_mint) h
       where h.known
      ${set}`)
}

/** How long an hour waits while a rebuild counts. It does only where the pages of the rebuild, which come first, are quarantined. */
const WAIT_SECONDS = 60

/** Events that are merged into a recount under the writer lock. */
const MOST_MERGED = 10_000n

export const RECOUNT: WorkKind<object, ReadHour> = {
  // Other work gives hours a new version with each page.
  isLast: true,
  check: async (snapshot, [work], rows) => {
    const read = await snapshot(tx => readHour(tx, work!, rows))
    // An hour of many payments takes long: what came meanwhile is read here, so that hardly anything is left for the lock.
    await snapshot(tx => readAfter(tx, read))
    return read
  },
  page: async (tx, [work], { head }, read) => {
    if (head.position - read.position > MOST_MERGED || head.figuresVersion !== read.version) return null
    await writeHour(tx, read)
    // A rebuild's rows may lack the extremes of this hour too. They are written once the rebuild has ended: the work waits for that.
    if (head.countingVersion !== null)
      return { done: [], continued: { ...work!, cursor: '' }, delaySeconds: WAIT_SECONDS }
    return continueAt(work!, read.next)
  },
}
