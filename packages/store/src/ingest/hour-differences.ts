// What a rebuild finds wrong in the figures of hours. It reads without the writer lock, in one snapshot: meanwhile every
// change of a figure is a difference, so what was wrong in the snapshot is wrong by as much later.
import { isDeepStrictEqual } from 'node:util'
import { ALL_GATEWAYS, SPANS } from '@payment-tracking/domain'
import { raw, sql, type Sql, type Tx } from '../database/sql.js'
import { keyOf, listOf, type GatewayHour } from './gateway-hours.js'
import { paymentsOf } from './recount-hours.js'

const [, , HOUR] = SPANS

/** What the row of an hour, or of a token in it, lacks. */
export interface FigureDifference extends GatewayHour {
  /** undefined: of all tokens */
  tokenMint?: string
  count: bigint
  total: bigint
  /** count and total are right, and both extremes are null: `recountPage` will find them */
  lacksExtremesOnly: boolean
}

export interface NameDifference {
  name: string
  start: Date
  count: bigint
}

export interface HourDifferences {
  hour: GatewayHour
  /** payments, by the events */
  counted: bigint
  /** payments, by the row of the hour */
  stored: bigint
  figures: FigureDifference[]
  /** of the hours of all gateways: events by name */
  names: NameDifference[]
}

/** Events that one statement reads, and hours that one page of a rebuild compares. */
const EVENTS_AT_ONCE = 20_000
const MOST_HOURS = 100
/** An hour of more events is read minute by minute: the chain bounds what one minute can hold. */
const MINUTES = 60

interface Figures {
  count: bigint
  total: bigint
  min: bigint | null
  max: bigint | null
  /** ms since 1970; null for a token */
  first: number | null
  last: number | null
}

interface FiguresRow extends GatewayHour {
  tokenMint: string
  count: bigint
  total: string
  min: string | null
  max: string | null
  first?: Date | null
  last?: Date | null
}

/**
 * The hours of events behind a key, those of all gateways before those of each. One probe of events_newest or
 * events_gateway_newest an hour. @param after the text of the last hour (`keyOf`); '' is the beginning
 */
export async function readNextHours(tx: Tx, after: string, limit: number): Promise<GatewayHour[]> {
  const [, start = '-infinity', gateway = ''] = /^(\S+) (.*)$/.exec(after) ?? []
  const most = raw(String(Math.min(limit, MOST_HOURS)))
  const hourOf = (at: Sql): Sql => sql`date_trunc('hour', ${at}, 'UTC')`
  const behind = sql`${start}::timestamptz + case when ${start} = '-infinity' then interval '0' else interval '1 hour' end`
  if (gateway === ALL_GATEWAYS) {
    const next = (from: Sql): Sql =>
      hourOf(sql`(select occurred_at from events where occurred_at >= ${from} order by occurred_at limit 1)`)
    const hours = await tx.$queryRaw<GatewayHour[]>(sql`
      with recursive hours (start, number) as (
        select ${next(behind)}, 1
         union all
        select ${next(sql`h.start + interval '1 hour'`)}, number + 1 from hours h where h.start is not null and number < ${most}
      ) select ${ALL_GATEWAYS} as gateway, start from hours where start is not null`)
    if (hours.length > 0) return hours
  }
  const [ofGateway, from] =
    gateway === ALL_GATEWAYS ? [sql`''`, sql`'-infinity'::timestamptz`] : [sql`${gateway}`, behind]
  const next = (place: Sql): Sql => sql`
    select e.gateway, e.occurred_at from events e where e.gateway is not null and (e.gateway, e.occurred_at) >= (${place})
     order by e.gateway, e.occurred_at limit 1`
  return tx.$queryRaw<GatewayHour[]>(sql`
    with recursive hours (gateway, start, number) as (
      select n.gateway, ${hourOf(sql`n.occurred_at`)}, 1 from (${next(sql`${ofGateway}, ${from}`)}) n
       union all
      select n.gateway, ${hourOf(sql`n.occurred_at`)}, number + 1
        from hours h cross join lateral (${next(sql`h.gateway, h.start + interval '1 hour'`)}) n where number < ${most}
    ) select gateway, start from hours`)
}

const eventsOf = (gateway: Sql): Sql => sql`
  events e where ${gateway} and e.occurred_at >= k.start and e.occurred_at < k.start + interval '1 hour'`

/** The first of some hours that hold at most so many events together; at least one. */
async function readFirstOf(
  tx: Tx,
  hours: readonly GatewayHour[],
  eventsAtOnce: number,
): Promise<{ hours: GatewayHour[]; isLarge: boolean }> {
  const sizeOf = (gateway: Sql): Sql => sql`
    (select count(*) from (select from ${eventsOf(gateway)} limit ${raw(String(eventsAtOnce + 1))}) e)`
  const rows = await tx.$queryRaw<(GatewayHour & { size: bigint })[]>(sql`
    select k.gateway, k.start, case k.gateway when ${ALL_GATEWAYS} then ${sizeOf(sql`true`)}
           else ${sizeOf(sql`e.gateway = k.gateway`)} end as size from ${listOf(hours)}`)
  const sizes = new Map(rows.map(row => [keyOf(row), Number(row.size)]))
  const first: GatewayHour[] = []
  let total = 0
  for (const hour of hours) {
    total += sizes.get(keyOf(hour)) ?? 0
    if (first.length > 0 && total > eventsAtOnce) break
    first.push(hour)
  }
  return { hours: first, isLarge: first.length === 1 && total > eventsAtOnce }
}

/** In the order of the hours. Hours behind those that were compared are left out. @param tx of one snapshot */
export async function readHourDifferences(
  tx: Tx,
  asked: readonly GatewayHour[],
  eventsAtOnce = EVENTS_AT_ONCE,
): Promise<HourDifferences[]> {
  if (asked.length === 0) return []
  const { hours, isLarge } = await readFirstOf(tx, asked, eventsAtOnce)
  const compared = new Map(hours.map(hour => [keyOf(hour), new ComparedHour(hour)]))
  const of = (row: GatewayHour) => compared.get(keyOf(row))!
  for (const part of isLarge ? minutesOf(hours[0]!) : [{ starts: hours, seconds: HOUR }]) {
    for (const row of await readCounted(tx, part)) of(row).count(row)
    for (const { name, start, count } of await readNames(tx, part))
      of({ gateway: ALL_GATEWAYS, start }).addName(name, count)
  }
  for (const { name, start, count } of await readStoredNames(tx, hours))
    of({ gateway: ALL_GATEWAYS, start }).addName(name, -count)
  for (const row of await readStored(tx, hours)) of(row).stored.set(row.tokenMint, toFigures(row))
  for (const row of await readStoredOfAll(tx, hours)) of(row).stored.set(undefined, toFigures(row))
  return [...compared.values()].map(hour => hour.differences())
}

/** Figures by token; those of all tokens by undefined. */
type ByToken = Map<string | undefined, Figures>

class ComparedHour {
  readonly counted: ByToken = new Map()
  readonly stored: ByToken = new Map()
  readonly #names = new Map<string, bigint>()

  constructor(private readonly hour: GatewayHour) {}

  count({ tokenMint, ...row }: FiguresRow): void {
    const figures = toFigures(row)
    add(this.counted, undefined, figures)
    add(this.counted, tokenMint, { ...figures, first: null, last: null })
  }

  addName(name: string, count: bigint): void {
    this.#names.set(name, (this.#names.get(name) ?? 0n) + count)
  }

  differences(): HourDifferences {
    const { hour, counted, stored } = this
    const tokens = new Set([...counted.keys(), ...stored.keys()])
    const figures = [...tokens].flatMap((tokenMint): FigureDifference[] => {
      const [is, was] = [counted.get(tokenMint), stored.get(tokenMint)]
      if (isDeepStrictEqual(is, was)) return []
      const count = (is?.count ?? 0n) - (was?.count ?? 0n)
      const total = (is?.total ?? 0n) - (was?.total ?? 0n)
      const lacksExtremesOnly = count === 0n && total === 0n && was?.min === null && was.max === null
      return [{ ...hour, ...(tokenMint !== undefined && { tokenMint }), count, total, lacksExtremesOnly }]
    })
    const names = [...this.#names].filter(([, count]) => count !== 0n)
    return {
      hour,
      counted: counted.get(undefined)?.count ?? 0n,
      stored: stored.get(undefined)?.count ?? 0n,
      figures,
      names: names.map(([name, count]) => ({ name, start: hour.start, count })),
    }
  }
}

/** The least, or the greatest; null is no value. */
function first<T extends bigint | number>(a: T | null, b: T | null, isGreatest: boolean): T | null {
  if (a === null || b === null) return a ?? b
  return b < a === isGreatest ? a : b
}

function add(all: ByToken, tokenMint: string | undefined, added: Figures): void {
  const known = all.get(tokenMint)
  if (!known) return void all.set(tokenMint, added)
  all.set(tokenMint, {
    count: known.count + added.count,
    total: known.total + added.total,
    min: first(known.min, added.min, false),
    max: first(known.max, added.max, true),
    first: first(known.first, added.first, false),
    last: first(known.last, added.last, true),
  })
}

interface Part {
  starts: readonly GatewayHour[]
  seconds: number
}

const minutesOf = ({ gateway, start }: GatewayHour): Part[] =>
  Array.from({ length: MINUTES }, (_, minute) => ({
    starts: [{ gateway, start: new Date(start.getTime() + minute * 60_000) }],
    seconds: 60,
  }))

const FIGURES = sql`count(*) as count, sum(amount)::text as total, min(amount)::text as min, max(amount)::text as max`

const readCounted = (tx: Tx, { starts, seconds }: Part): Promise<FiguresRow[]> =>
  tx.$queryRaw<FiguresRow[]>(sql`
    select gateway, date_trunc('hour', start, 'UTC') as start, token_mint as "tokenMint", ${FIGURES},
           min(occurred_at) as first, max(occurred_at) as last
      from (${paymentsOf(starts, seconds)}) p group by 1, 2, 3`)

const ofAll = (hours: readonly GatewayHour[]): GatewayHour[] =>
  hours.filter(({ gateway }) => gateway === ALL_GATEWAYS)

const readNames = (tx: Tx, { starts, seconds }: Part): Promise<NameDifference[]> =>
  tx.$queryRaw<NameDifference[]>(sql`
    select e.name, date_trunc('hour', k.start, 'UTC') as start, count(*) as count
      from ${listOf(ofAll(starts))} join events e on e.retracted_at is null
       and e.occurred_at >= k.start and e.occurred_at < k.start + ${raw(String(seconds))} * interval '1 s'
     group by 1, 2`)

/** The service has few names: each is found by a probe, whatever spans it has rows of, and probed for each hour. */
const readStoredNames = (tx: Tx, hours: readonly GatewayHour[]): Promise<NameDifference[]> =>
  tx.$queryRaw<NameDifference[]>(sql`
    with recursive names (name) as (
      select min(name) from event_counts
       union all
      select (select min(c.name) from event_counts c where c.name > n.name) from names n where n.name is not null
    )
    select c.name, c.start, c.count from ${listOf(ofAll(hours))}
     cross join names n
      join event_counts c on c.name = n.name and c.span = ${HOUR}::int and c.start = k.start`)

const STORED = sql`s.gateway, s.start, s.count, s.total::text as total, s.min::text as min, s.max::text as max`
const stored = (hours: readonly GatewayHour[], table: Sql): Sql => sql`
  ${listOf(hours)} join ${table} s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`

const readStored = (tx: Tx, hours: readonly GatewayHour[]): Promise<FiguresRow[]> =>
  tx.$queryRaw<FiguresRow[]>(sql`
    select ${STORED}, s.token_mint as "tokenMint" from ${stored(hours, raw('payment_token_stats'))}`)

const readStoredOfAll = (tx: Tx, hours: readonly GatewayHour[]): Promise<FiguresRow[]> =>
  tx.$queryRaw<FiguresRow[]>(sql`
    select ${STORED}, s.first_at as first, s.last_at as last from ${stored(hours, raw('payment_stats'))}`)

const bigintOf = (digits: string | null): bigint | null => (digits === null ? null : BigInt(digits))

const toFigures = ({ count, total, min, max, first, last }: Omit<FiguresRow, 'tokenMint'>): Figures => ({
  count,
  total: BigInt(total),
  min: bigintOf(min),
  max: bigintOf(max),
  first: first?.getTime() ?? null,
  last: last?.getTime() ?? null,
})
