// Counts payment figures again where the change alone does not determine them: the least and greatest amounts, and the
// first and last times, of an hour that lost a payment. Days are sums of hours, and all time is a sum of days.
import { sql, type Sql } from '../database/sql.js'
import { ALL_GATEWAYS, SPANS, startOf, UNKNOWN_MINT } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../payment-names.js'

const [ALL_TIME, DAY, HOUR] = SPANS

/** An hour of one gateway, or of all (`ALL_GATEWAYS`). */
interface GatewayHour {
  gateway: string
  start: Date
}

/** The hours in which some payments count: of their gateways, and of all gateways. */
export function hoursOf(payments: readonly { gateway: string; occurredAt: Date }[]): GatewayHour[] {
  const hours = new Map<string, GatewayHour>()
  for (const { gateway: ofPayment, occurredAt } of payments) {
    const start = startOf(HOUR, occurredAt)
    for (const gateway of [ofPayment, ALL_GATEWAYS])
      hours.set(`${gateway} ${start.getTime()}`, { gateway, start })
  }
  return [...hours.values()]
}

const listOf = (hours: readonly GatewayHour[]): Sql => sql`
  unnest(${hours.map(({ gateway }) => gateway)}::text[],
         ${hours.map(({ start }) => start.toISOString())}::timestamptz[]) as k (gateway, start)`

/** Payments of the hours `k`, with the known mint of each payment. */
const paymentsOf = (hours: readonly GatewayHour[], upTo: bigint): Sql => {
  const standing = sql`${IS_PAYMENT} and e.retracted_at is null and e.position <= ${upTo}
    and e.occurred_at >= k.start and e.occurred_at < k.start + interval '1 hour'`
  const columns = sql`k.gateway, k.start, e.amount, e.occurred_at, e.token_mint, e.payment_policy`
  const all = hours.filter(({ gateway }) => gateway === ALL_GATEWAYS)
  const single = hours.filter(({ gateway }) => gateway !== ALL_GATEWAYS)
  return sql`
    select c.gateway, c.start, c.amount, c.occurred_at,
           coalesce(c.token_mint, p.token_mint, u.token_mint, ${UNKNOWN_MINT}) as token_mint
      from (select ${columns} from ${listOf(single)} join events e on e.gateway = k.gateway and ${standing}
            union all
            select ${columns} from ${listOf(all)} join events e on ${standing}) c
      left join policies p on p.address = c.payment_policy
      left join user_payments u on u.address = p.user_payment`
}

/**
 * Counts hours of gateways again from the events that stand, and then the days and totals that contain the hours. The
 * caller holds the writer lock. Relies on events_gateway_newest and events_newest.
 */
export function recountHours(tx: PipelinedTx, hours: readonly GatewayHour[], upTo: bigint): void {
  if (hours.length === 0) return
  clear(tx, HOUR, hours)
  tx.send(sql`
    with payments as materialized (${paymentsOf(hours, upTo)}), by_gateway as (
      insert into payment_stats (gateway, span, start, count, total, min, max, first_at, last_at)
      select gateway, ${HOUR}::int, start, count(*), sum(amount), min(amount), max(amount),
             min(occurred_at), max(occurred_at)
        from payments group by gateway, start)
    insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
    select gateway, ${HOUR}::int, start, token_mint, count(*), sum(amount), min(amount), max(amount)
      from payments group by gateway, start, token_mint`)
  sumUp(tx, HOUR, DAY, hours)
  sumUp(tx, DAY, ALL_TIME, hours)
}

function clear(tx: PipelinedTx, span: number, groups: readonly GatewayHour[]): void {
  tx.send(sql`
    delete from payment_stats s using ${listOf(groups)}
     where s.gateway = k.gateway and s.span = ${span} and s.start = k.start`)
  tx.send(sql`
    delete from payment_token_stats s using ${listOf(groups)}
     where s.gateway = k.gateway and s.span = ${span} and s.start = k.start`)
}

/** Makes the rows of a longer span from those of a shorter one. */
function sumUp(
  tx: PipelinedTx,
  from: number,
  to: (typeof SPANS)[number],
  hours: readonly GatewayHour[],
): void {
  const groups = new Map<string, GatewayHour>()
  for (const { gateway, start: hour } of hours) {
    const start = startOf(to, hour)
    groups.set(`${gateway} ${start.getTime()}`, { gateway, start })
  }
  const list = [...groups.values()]
  const parts = sql`s.gateway = k.gateway and s.span = ${from} and s.start >= k.start
    and (${to === ALL_TIME}::boolean or s.start < k.start + interval '1 day')`
  clear(tx, to, list)
  tx.send(sql`
    insert into payment_stats (gateway, span, start, count, total, min, max, first_at, last_at)
    select k.gateway, ${to}::int, k.start, sum(s.count), sum(s.total), min(s.min), max(s.max),
           min(s.first_at), max(s.last_at)
      from ${listOf(list)} join payment_stats s on ${parts} group by k.gateway, k.start`)
  tx.send(sql`
    insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
    select k.gateway, ${to}::int, k.start, s.token_mint, sum(s.count), sum(s.total), min(s.min), max(s.max)
      from ${listOf(list)} join payment_token_stats s on ${parts} group by k.gateway, k.start, s.token_mint`)
}
