// The extremes of an hour that lost one of them: the least and greatest amount, and the first and last time. No
// difference tells the next extreme, so the hour's payments are read. Days follow from hours, and all time from days.
// An hour of many payments is read in pages after the commit (recount-page.ts); until then its extremes are null. The pages
// find what is added to the hour by the number of its payments; whatever else changes in it makes them begin again.
import { ALL_GATEWAYS, SPANS, UNKNOWN_MINT } from '@payment-tracking/domain'
import { raw, sql, type Sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../rows/payment-names.js'
import { distinct, keyOf, listOf, type GatewayHour, type TokenHour } from './gateway-hours.js'
import { clear, isOneOf, sumUp } from './sum-hours.js'
import { addWork } from './work.js'

const [, , HOUR] = SPANS

/** An hour that lost payments: the row of a gateway, or that of one of its tokens. */
export interface ReducedHour extends GatewayHour {
  tokenMint?: string
  /** the remaining payments */
  count: bigint
  /** a payment that left was an extreme, or the extremes are being counted again */
  touched: boolean
}

const isOfToken = (row: ReducedHour): row is ReducedHour & TokenHour => row.tokenMint !== undefined

/**
 * Counts the extremes of some hours again: at once while they hold few payments in all, else as work. Days and totals
 * follow; an extreme that waits for work is null in all of them.
 * @param most the payments that are counted at once
 */
export async function recountExtremes(
  tx: PipelinedTx,
  rows: readonly ReducedHour[],
  most: number,
): Promise<void> {
  if (rows.length === 0) return
  beginHoursAgain(tx, distinct(rows))
  const touched = rows.filter(row => row.touched || row.count === 0n)
  if (touched.length === 0) return
  const left = touched.filter(({ count }) => count > 0n)
  const hours = distinct(left)
  const sizes = await readSizes(tx, hours)
  let room = BigInt(most)
  const [now, later]: [GatewayHour[], GatewayHour[]] = [[], []]
  for (const hour of hours) {
    const size = sizes.get(keyOf(hour)) ?? 0n
    if (size > room) later.push(hour)
    else {
      room -= size
      now.push(hour)
    }
  }
  const found = await recountNow(tx, now)
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
  sumUp(tx, distinct(touched), [...touched.filter(isOfToken), ...found])
}

const keysOf = (hours: readonly GatewayHour[]): string[] => hours.map(keyOf)

/** The pages of hours read them from the beginning, where payments were read that have left, or stand behind the page now. */
export const beginHoursAgain = (tx: PipelinedTx, hours: readonly GatewayHour[]): void =>
  tx.send(sql`
    update refolds set cursor = '', state = null
     where kind = 'hour' and address = any(${keysOf(hours)}::text[]) and cursor <> ''`)

export async function readSizes(tx: Tx, hours: readonly GatewayHour[]): Promise<Map<string, bigint>> {
  if (hours.length === 0) return new Map()
  const rows = await tx.$queryRaw<(GatewayHour & { count: bigint })[]>(sql`
    select s.gateway, s.start, s.count from ${listOf(hours)}
      join payment_stats s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`)
  return new Map(rows.map(row => [keyOf(row), row.count]))
}

/** The standing payments of the hours `k`, or of shorter spans. Relies on events_gateway_newest and events_newest. */
export const paymentsOf = (starts: readonly GatewayHour[], seconds: number = HOUR): Sql => {
  const standing = sql`${IS_PAYMENT} and e.retracted_at is null
    and e.occurred_at >= k.start and e.occurred_at < k.start + ${raw(String(seconds))} * interval '1 s'`
  const columns = sql`k.gateway, k.start, e.amount, e.occurred_at, coalesce(e.token_mint, ${UNKNOWN_MINT}) as token_mint`
  const all = starts.filter(({ gateway }) => gateway === ALL_GATEWAYS)
  const single = starts.filter(({ gateway }) => gateway !== ALL_GATEWAYS)
  return sql`
    select ${columns} from ${listOf(single)} join events e on e.gateway = k.gateway and ${standing}
    union all
    select ${columns} from ${listOf(all)} join events e on ${standing}`
}

/**
 * Writes the figures of hours from their payments. Their pages have nothing left to do.
 * @returns tokens that lacked their extremes in these hours: so do the sums of their days, and of all time
 */
export async function recountNow(tx: PipelinedTx, hours: readonly GatewayHour[]): Promise<TokenHour[]> {
  if (hours.length === 0) return []
  const lacking = await tx.$queryRaw<TokenHour[]>(sql`
    select s.gateway, s.start, s.token_mint as "tokenMint" from ${listOf(hours)}
      join payment_token_stats s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start
     where s.min is null or s.max is null`)
  tx.send(sql`delete from refolds where kind = 'hour' and address = any(${keysOf(hours)}::text[])`)
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
  return lacking
}

/** Until they are counted again, nobody is told a wrong extreme. */
export function forgetExtremes(
  tx: PipelinedTx,
  hours: readonly GatewayHour[],
  tokens: readonly TokenHour[],
): void {
  tx.send(sql`
    update payment_stats s set min = null, max = null, first_at = null, last_at = null from ${listOf(hours)}
     where s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`)
  if (tokens.length === 0) return
  tx.send(sql`update payment_token_stats s set min = null, max = null where ${isOneOf(tokens, HOUR)}`)
}
