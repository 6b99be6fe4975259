// The extremes of an hour that lost one of them: the least and greatest amount, and the first and last time. No
// difference tells the next extreme, so the hour's payments are read. Days follow from hours, and all time from days.
// An hour of many payments is read in pages after the commit; until then its extremes are null.
import { ALL_GATEWAYS, SPANS, startOf, UNKNOWN_MINT } from '@payment-tracking/domain'
import { sql, type Sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../payment-names.js'
import { addWork, REFOLD_ROWS, type Work } from './work.js'

const [ALL_TIME, DAY, HOUR] = SPANS

/** An hour of one gateway, or of all (`ALL_GATEWAYS`). */
interface GatewayHour {
  gateway: string
  start: Date
}

/** Of one token too. */
interface TokenHour extends GatewayHour {
  tokenMint: string
}

/** An hour that lost payments: the row of a gateway, or that of one of its tokens. */
export interface ReducedHour extends GatewayHour {
  tokenMint?: string
  /** the remaining payments */
  count: bigint
}

const keyOf = ({ gateway, start }: GatewayHour): string => `${start.toISOString()} ${gateway}`
const distinct = <H extends GatewayHour>(hours: readonly H[]): H[] => [
  ...new Map(hours.map(hour => [keyOf(hour), hour])).values(),
]
const isOfToken = (row: ReducedHour): row is ReducedHour & TokenHour => row.tokenMint !== undefined

/**
 * Counts the extremes of some hours again: at once while they hold few payments in all, else as work. Days and totals
 * follow; an extreme that waits for work is null in all of them.
 */
export async function recountExtremes(tx: PipelinedTx, rows: readonly ReducedHour[]): Promise<void> {
  if (rows.length === 0) return
  const left = rows.filter(({ count }) => count > 0n)
  const hours = distinct(left)
  const sizes = await readSizes(tx, hours)
  let room = BigInt(REFOLD_ROWS)
  const [now, later]: [GatewayHour[], GatewayHour[]] = [[], []]
  for (const hour of hours) {
    const size = sizes.get(keyOf(hour)) ?? 0n
    if (size > room) later.push(hour)
    else {
      room -= size
      now.push(hour)
    }
  }
  if (now.length > 0) recountNow(tx, now)
  if (later.length > 0) {
    const keys = new Set(later.map(keyOf))
    forgetExtremes(
      tx,
      later,
      left.filter(isOfToken).filter(row => keys.has(keyOf(row))),
    )
    addWork(
      tx,
      later.map(hour => ({ kind: 'hour' as const, address: keyOf(hour) })),
    )
  }
  sumUp(tx, distinct(rows), rows.filter(isOfToken))
}

async function readSizes(tx: Tx, hours: readonly GatewayHour[]): Promise<Map<string, bigint>> {
  if (hours.length === 0) return new Map()
  const rows = await tx.$queryRaw<(GatewayHour & { count: bigint })[]>(sql`
    select s.gateway, s.start, s.count from ${listOf(hours)}
      join payment_stats s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`)
  return new Map(rows.map(row => [keyOf(row), row.count]))
}

const listOf = (hours: readonly GatewayHour[]): Sql => sql`
  unnest(${hours.map(({ gateway }) => gateway)}::text[],
         ${hours.map(({ start }) => start.toISOString())}::timestamptz[]) as k (gateway, start)`

/** The standing payments of the hours `k`. Relies on events_gateway_newest and events_newest. */
const paymentsOf = (hours: readonly GatewayHour[]): Sql => {
  const standing = sql`${IS_PAYMENT} and e.retracted_at is null
    and e.occurred_at >= k.start and e.occurred_at < k.start + interval '1 hour'`
  const columns = sql`k.gateway, k.start, e.amount, e.occurred_at, coalesce(e.token_mint, ${UNKNOWN_MINT}) as token_mint`
  const all = hours.filter(({ gateway }) => gateway === ALL_GATEWAYS)
  const single = hours.filter(({ gateway }) => gateway !== ALL_GATEWAYS)
  return sql`
    select ${columns} from ${listOf(single)} join events e on e.gateway = k.gateway and ${standing}
    union all
    select ${columns} from ${listOf(all)} join events e on ${standing}`
}

/** Writes the figures of hours from their payments. */
function recountNow(tx: PipelinedTx, hours: readonly GatewayHour[]): void {
  clear(tx, HOUR, hours)
  tx.send(sql`
    with payments as materialized (${paymentsOf(hours)}), by_gateway as (
      insert into payment_stats (gateway, span, start, count, total, min, max, first_at, last_at)
      select gateway, ${HOUR}::int, start, count(*), sum(amount), min(amount), max(amount),
             min(occurred_at), max(occurred_at)
        from payments group by gateway, start)
    insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
    select gateway, ${HOUR}::int, start, token_mint, count(*), sum(amount), min(amount), max(amount)
      from payments group by gateway, start, token_mint`)
}

/** Counts everything of one hour again: events by name, and payments of every gateway. */
export async function recountAllOf(tx: PipelinedTx, start: Date): Promise<void> {
  const inHour = sql`occurred_at >= ${start} and occurred_at < ${start}::timestamptz + interval '1 hour'
    and retracted_at is null`
  for (const [span, of] of [
    [HOUR, null],
    [DAY, HOUR],
    [ALL_TIME, DAY],
  ] as const) {
    const from = startOf(span, start)
    tx.send(sql`delete from event_counts where span = ${span} and start = ${from}`)
    tx.send(
      of === null
        ? sql`insert into event_counts (name, span, start, count)
              select name, ${span}::int, ${from}::timestamptz, count(*) from events where ${inHour} group by name`
        : sql`insert into event_counts (name, span, start, count)
              select name, ${span}::int, ${from}::timestamptz, sum(count) from event_counts
               where span = ${of} and (${span === ALL_TIME}::boolean
                 or start >= ${from} and start < ${from}::timestamptz + interval '1 day') group by name`,
    )
  }
  const paid = await tx.$queryRaw<{ gateway: string }[]>(sql`
    select distinct gateway from events e where ${inHour} and ${IS_PAYMENT}`)
  if (paid.length === 0) return
  const hours = [{ gateway: ALL_GATEWAYS }, ...paid].map(hour => ({ ...hour, start }))
  const before = await readTokens(tx, hours)
  recountNow(tx, hours)
  sumUp(tx, hours, [...before, ...(await readTokens(tx, hours))])
}

const readTokens = (tx: Tx, hours: readonly GatewayHour[]): Promise<TokenHour[]> =>
  tx.$queryRaw<TokenHour[]>(sql`
    select s.gateway, s.start, s.token_mint as "tokenMint" from ${listOf(hours)}
      join payment_token_stats s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`)

function clear(tx: PipelinedTx, span: number, groups: readonly GatewayHour[]): void {
  tx.send(sql`
    delete from payment_stats s using ${listOf(groups)}
     where s.gateway = k.gateway and s.span = ${span} and s.start = k.start`)
  if (span !== HOUR) return
  tx.send(sql`
    delete from payment_token_stats s using ${listOf(groups)}
     where s.gateway = k.gateway and s.span = ${span} and s.start = k.start`)
}

/**
 * Writes the days that hold some hours from their hours, and all time from its days.
 * @param tokens the tokens whose figures changed in these hours: a gateway can have any number of others
 */
function sumUp(tx: PipelinedTx, hours: readonly GatewayHour[], tokens: readonly TokenHour[]): void {
  for (const [from, to] of [
    [HOUR, DAY],
    [DAY, ALL_TIME],
  ] as const) {
    sumSpan(tx, from, to, hours)
    if (tokens.length > 0) sumTokens(tx, from, to, tokens)
  }
}

/** A sum of parts has no extreme while one of the parts has none. */
const extreme = (of: 'min' | 'max', column: Sql): Sql =>
  sql`case when bool_and(${column} is not null) then ${of === 'min' ? sql`min` : sql`max`}(${column}) end`

function sumSpan(
  tx: PipelinedTx,
  from: number,
  to: (typeof SPANS)[number],
  hours: readonly GatewayHour[],
): void {
  const groups = new Map<string, GatewayHour>()
  for (const { gateway, start: hour } of hours) {
    const group = { gateway, start: startOf(to, hour) }
    groups.set(keyOf(group), group)
  }
  const list = [...groups.values()]
  const parts = sql`s.gateway = k.gateway and s.span = ${from} and s.start >= k.start
    and (${to === ALL_TIME}::boolean or s.start < k.start + interval '1 day')`
  clear(tx, to, list)
  tx.send(sql`
    insert into payment_stats (gateway, span, start, count, total, min, max, first_at, last_at)
    select k.gateway, ${to}::int, k.start, sum(s.count), sum(s.total), ${extreme('min', sql`s.min`)},
           ${extreme('max', sql`s.max`)}, ${extreme('min', sql`s.first_at`)}, ${extreme('max', sql`s.last_at`)}
      from ${listOf(list)} join payment_stats s on ${parts} group by k.gateway, k.start`)
}

const listOfTokens = (tokens: readonly TokenHour[]): Sql => sql`
  unnest(${tokens.map(({ gateway }) => gateway)}::text[], ${tokens.map(({ start }) => start.toISOString())}::timestamptz[],
         ${tokens.map(({ tokenMint }) => tokenMint)}::text[]) as k (gateway, start, token_mint)`

/** One probe for each hour of a day, and for each day of the gateway's life. */
function sumTokens(
  tx: PipelinedTx,
  from: number,
  to: (typeof SPANS)[number],
  tokens: readonly TokenHour[],
): void {
  const groups = new Map<string, TokenHour>()
  for (const { gateway, start: hour, tokenMint } of tokens) {
    const group = { gateway, start: startOf(to, hour), tokenMint }
    groups.set(`${keyOf(group)} ${tokenMint}`, group)
  }
  const list = [...groups.values()]
  tx.send(sql`
    delete from payment_token_stats s using ${listOfTokens(list)}
     where s.gateway = k.gateway and s.span = ${to} and s.start = k.start and s.token_mint = k.token_mint`)
  const parts =
    to === ALL_TIME
      ? sql`(select generate_series(min(d.start), max(d.start), interval '1 day') as start from payment_stats d
              where d.gateway = k.gateway and d.span = ${DAY}::int)`
      : sql`generate_series(k.start, k.start + interval '23 hours', interval '1 hour')`
  tx.send(sql`
    insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
    select k.gateway, ${to}::int, k.start, k.token_mint, sum(s.count), sum(s.total), ${extreme('min', sql`s.min`)},
           ${extreme('max', sql`s.max`)}
      from ${listOfTokens(list)} cross join lateral ${parts} as part (start)
      join payment_token_stats s on s.gateway = k.gateway and s.span = ${from} and s.start = part.start
       and s.token_mint = k.token_mint
     group by k.gateway, k.start, k.token_mint`)
}

/** Until they are counted again, nobody is told a wrong extreme. */
function forgetExtremes(tx: PipelinedTx, hours: readonly GatewayHour[], tokens: readonly TokenHour[]): void {
  tx.send(sql`
    update payment_stats s set min = null, max = null, first_at = null, last_at = null from ${listOf(hours)}
     where s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`)
  if (tokens.length === 0) return
  tx.send(sql`
    update payment_token_stats s set min = null, max = null from ${listOfTokens(tokens)}
     where s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start and s.token_mint = k.token_mint`)
}

/** What a page of an hour has found so far. */
interface HourSoFar {
  count: number
  first: string
  last: string
  /** by mint: least and greatest amount, in decimal digits */
  tokens: Record<string, [min: string, max: string]>
}

interface HourRow {
  /** a payment that stands */
  counts: boolean
  id: string
  slot: bigint
  event_index: bigint
  amount: string
  token_mint: string
  time: Date
}

/**
 * Reads one page of an hour's payments, and writes the extremes behind the last page. Payments that came out of order
 * meanwhile are found by their number: the hour is then read again.
 * @returns the work that is left of the hour; null when none is
 */
export async function recountPage(tx: PipelinedTx, work: Work, limit: number): Promise<Work | null> {
  const [start, gateway] = work.address.split(' ') as [string, string]
  const hour = { gateway, start: new Date(start) }
  const soFar = (work.state as HourSoFar | null) ?? { count: 0, first: '', last: '', tokens: {} }
  const rows = await readHourPage(tx, hour, { cursor: work.cursor, limit })
  for (const row of rows) if (row.counts) addToHour(soFar, row)
  if (rows.length === limit) return { ...work, cursor: cursorOf(rows.at(-1)!), state: soFar }
  const [figures] = await tx.$queryRaw<{ count: bigint }[]>(sql`
    select count from payment_stats where gateway = ${gateway} and span = ${HOUR}::int and start = ${hour.start}`)
  if (Number(figures?.count ?? 0n) !== soFar.count) return { ...work, cursor: '', state: null }
  if (soFar.count === 0) return null
  writeExtremes(tx, hour, soFar)
  return null
}

function addToHour(soFar: HourSoFar, { amount, token_mint: mint, time }: HourRow): void {
  const at = time.toISOString()
  const known = soFar.tokens[mint]
  soFar.count += 1
  soFar.first ||= at
  soFar.last = at
  soFar.tokens[mint] = known
    ? [
        BigInt(amount) < BigInt(known[0]) ? amount : known[0],
        BigInt(amount) > BigInt(known[1]) ? amount : known[1],
      ]
    : [amount, amount]
}

/** The values themselves: Postgres compares with those of a subquery only after it has read each row. */
const cursorOf = ({ time, slot, event_index: index, id }: HourRow): string =>
  `${time.toISOString()} ${slot} ${index} ${id}`

/** One page of all events, so that no page passes more than it may, in the order of events_gateway_newest or events_newest. @param cursor of the last row of the page before */
const readHourPage = (
  tx: Tx,
  { gateway, start }: GatewayHour,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<HourRow[]> => {
  const [at, slot, index, id] = cursor.split(' ') as [string, string, string, string]
  const after =
    cursor === ''
      ? sql`e.occurred_at >= ${start}`
      : sql`(e.occurred_at, e.slot, e.event_index, e.id) >
          (${new Date(at)}, ${slot}::bigint, ${index}::bigint, ${id}::uuid)`
  return tx.$queryRaw<HourRow[]>(sql`
    select ${IS_PAYMENT} and e.retracted_at is null as counts, e.id, e.slot, e.event_index, e.amount::text as amount, coalesce(e.token_mint, ${UNKNOWN_MINT}) as token_mint,
           e.occurred_at as time
      from events e
     where ${gateway === ALL_GATEWAYS ? sql`true` : sql`e.gateway = ${gateway}`}
       and ${after} and e.occurred_at < ${start}::timestamptz + interval '1 hour'
     order by e.occurred_at, e.slot, e.event_index, e.id limit ${limit}`)
}

function writeExtremes(tx: PipelinedTx, hour: GatewayHour, { first, last, tokens }: HourSoFar): void {
  const amounts = Object.values(tokens).flat().map(BigInt)
  const least = amounts.reduce((a, b) => (b < a ? b : a))
  const greatest = amounts.reduce((a, b) => (b > a ? b : a))
  const mints = Object.entries(tokens)
  tx.send(sql`
    update payment_stats set min = ${least.toString()}::numeric, max = ${greatest.toString()}::numeric,
           first_at = ${first}::timestamptz, last_at = ${last}::timestamptz
     where gateway = ${hour.gateway} and span = ${HOUR}::int and start = ${hour.start}`)
  tx.send(sql`
    update payment_token_stats s set min = d.min, max = d.max
      from unnest(${mints.map(([mint]) => mint)}::text[], ${mints.map(([, [min]]) => min)}::numeric[],
                  ${mints.map(([, [, max]]) => max)}::numeric[]) as d (token_mint, min, max)
     where s.gateway = ${hour.gateway} and s.span = ${HOUR}::int and s.start = ${hour.start}
       and s.token_mint = d.token_mint`)
  sumUp(
    tx,
    [hour],
    mints.map(([tokenMint]) => ({ ...hour, tokenMint })),
  )
}
