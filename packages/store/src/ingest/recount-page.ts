// An hour of many payments is read in pages, to find its extremes.
import { ALL_GATEWAYS, SPANS, UNKNOWN_MINT } from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../rows/payment-names.js'
import type { GatewayHour } from './gateway-hours.js'
import { sumUp } from './sum-hours.js'
import type { Work } from './work.js'

const [, , HOUR] = SPANS

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
