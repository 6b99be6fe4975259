// What a rebuild finds wrong in the figures of days and of all time: they must be the sums of hours and of days. It reads
// without the writer lock, in one snapshot.
import { ALL_GATEWAYS, SPANS } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { raw, sql, type Sql, type Tx } from '../database/sql.js'
import type { GatewayHour, TokenHour } from './gateway-hours.js'
import { extreme, sumNames, sumUp } from './sum-hours.js'

const [ALL_TIME, DAY, HOUR] = SPANS

/** Days whose sums are wrong. Where all time is wrong alone, the first day of all stands for it. */
interface SumDifferences {
  gateways: GatewayHour[]
  tokens: TokenHour[]
  names: { name: string; start: Date }[]
}

/** The gateways of figures behind one of them; all gateways first, paid or not. One probe of a primary key each. */
export async function readNextGateways(tx: Tx, after: string | null, limit: number): Promise<string[]> {
  const next = (condition: Sql): Sql => sql`
    select gateway from payment_stats where ${condition} order by gateway limit 1`
  const rows = await tx.$queryRaw<{ gateway: string }[]>(sql`
    with recursive gateways (gateway, number) as (
      select ${after === null ? sql`${ALL_GATEWAYS}::text collate "C"` : sql`(${next(sql`gateway > ${after}`)})`}, 1
       union all
      select (${next(sql`gateway > g.gateway`)}), number + 1 from gateways g
       where g.gateway is not null and number < ${raw(String(limit))}
    ) select gateway from gateways where gateway is not null`)
  return rows.map(({ gateway }) => gateway)
}

const DAY_OF_START = sql`date_trunc('day', start, 'UTC')::timestamptz(0)`

/** Sums by `keys` of the rows of one span as those of the next span must be, beside those that are stored. */
const differing = (table: Sql, keys: Sql, sums: [summed: Sql, stored: Sql], ofKey: Sql): Sql => sql`
  select ${keys}, start from (
    select ${keys}, ${DAY}::int as span, ${DAY_OF_START} as start, ${sums[0]}
      from ${table} where ${ofKey} and span = ${HOUR}::int group by ${keys}, ${DAY_OF_START}
     union all
    select ${keys}, ${ALL_TIME}::int, 'epoch'::timestamptz(0), ${sums[0]} from ${table} where ${ofKey} and span = ${DAY}::int
     group by ${keys}) c
    full join (
    select ${keys}, span, start, ${sums[1]} from ${table} where ${ofKey} and span in (${ALL_TIME}::int, ${DAY}::int)) s
   using (${keys}, span, start)`

const FIGURES: [Sql, Sql] = [
  sql`sum(count) as count, sum(total) as total, ${extreme('min', sql`min`)} as min, ${extreme('max', sql`max`)} as max`,
  sql`count, total, min, max`,
]
const TIMES: [Sql, Sql] = [
  sql`${extreme('min', sql`first_at`)} as first_at, ${extreme('max', sql`last_at`)} as last_at`,
  sql`first_at, last_at`,
]

/** Reads all hours and days of one gateway, or of all gateways together. @param limit the most rows of each kind */
export async function readSumDifferences(tx: Tx, gateway: string, limit: number): Promise<SumDifferences> {
  const most = raw(String(limit))
  const ofGateway = sql`gateway = ${gateway}`
  const isOther = (columns: string[]): Sql =>
    sql`(${raw(columns.map(name => `c.${name}`).join())}) is distinct from (${raw(columns.map(name => `s.${name}`).join())})`
  const figures = ['count', 'total', 'min', 'max']
  const [first, second] = FIGURES
  const gateways = await tx.$queryRaw<GatewayHour[]>(sql`
    ${differing(raw('payment_stats'), raw('gateway'), [sql`${first}, ${TIMES[0]}`, sql`${second}, ${TIMES[1]}`], ofGateway)}
     where ${isOther([...figures, 'first_at', 'last_at'])} limit ${most}`)
  const tokens = await tx.$queryRaw<TokenHour[]>(sql`
    select gateway, token_mint as "tokenMint", start from (
      ${differing(raw('payment_token_stats'), raw('gateway, token_mint'), FIGURES, ofGateway)}
       where ${isOther(figures)} limit ${most}) d`)
  const names =
    gateway === ALL_GATEWAYS
      ? await tx.$queryRaw<SumDifferences['names']>(sql`
          ${differing(raw('event_counts'), raw('name'), [sql`sum(count) as count`, sql`count`], sql`true`)}
           where c.count is distinct from s.count limit ${most}`)
      : []
  return { gateways, tokens, names }
}

export function correctSums(tx: PipelinedTx, { gateways, tokens, names }: SumDifferences): void {
  if (gateways.length + tokens.length > 0) sumUp(tx, gateways, tokens)
  sumNames(tx, names)
}
