import { sql, type Tx } from '../database/sql.js'
import {
  ALL_GATEWAYS,
  countByName,
  SPANS,
  UNKNOWN_MINT,
  type CountRow,
  type PaymentStatRow,
  type TokenStatRow,
} from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../payment-names.js'
import { recountHours } from './recount-hours.js'

/** Adds a batch's counts by name. */
export function addCounts(tx: PipelinedTx, rows: readonly CountRow[]): void {
  if (rows.length === 0) return
  tx.send(sql`
    insert into event_counts as c (name, span, start, count)
    select * from unnest(
      ${rows.map(row => row.name)}::text[], ${rows.map(row => row.span)}::int[],
      ${rows.map(row => row.start.toISOString())}::timestamptz[], ${rows.map(row => row.count)}::bigint[])
    on conflict (name, span, start) do update set count = c.count + excluded.count`)
}

/** Subtracts events from the counts by name, and removes a name whose count is 0. */
export function subtractCounts(tx: PipelinedTx, events: readonly { name: string; occurredAt: Date }[]): void {
  const rows = countByName(events)
  addCounts(
    tx,
    rows.map(row => ({ ...row, count: -row.count })),
  )
  tx.send(sql`
    delete from event_counts where count = 0 and name = any(${[...new Set(rows.map(row => row.name))]}::text[])`)
}

/** Adds a batch's payment figures by gateway. */
export function addPaymentStats(tx: PipelinedTx, rows: readonly PaymentStatRow[]): void {
  if (rows.length === 0) return
  tx.send(sql`
    insert into payment_stats as s (gateway, span, start, count, total, min, max, first_at, last_at)
    select * from unnest(
      ${rows.map(row => row.gateway)}::text[], ${rows.map(row => row.span)}::int[],
      ${rows.map(row => row.start.toISOString())}::timestamptz[], ${rows.map(row => row.count)}::bigint[],
      ${rows.map(row => row.total.toString())}::numeric[], ${rows.map(row => row.min.toString())}::numeric[],
      ${rows.map(row => row.max.toString())}::numeric[], ${rows.map(row => row.firstAt.toISOString())}::timestamptz[],
      ${rows.map(row => row.lastAt.toISOString())}::timestamptz[])
    on conflict (gateway, span, start) do update set
      count = s.count + excluded.count, total = s.total + excluded.total,
      min = least(s.min, excluded.min), max = greatest(s.max, excluded.max),
      first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)`)
}

/** Adds a batch's payment figures by token. */
export function addTokenStats(tx: PipelinedTx, rows: readonly TokenStatRow[]): void {
  if (rows.length === 0) return
  tx.send(sql`
    insert into payment_token_stats as s (gateway, span, start, token_mint, count, total, min, max)
    select * from unnest(
      ${rows.map(row => row.gateway)}::text[], ${rows.map(row => row.span)}::int[],
      ${rows.map(row => row.start.toISOString())}::timestamptz[], ${rows.map(row => row.tokenMint)}::text[],
      ${rows.map(row => row.count)}::bigint[], ${rows.map(row => row.total.toString())}::numeric[],
      ${rows.map(row => row.min.toString())}::numeric[], ${rows.map(row => row.max.toString())}::numeric[])
    on conflict (gateway, span, start, token_mint) do update set
      count = s.count + excluded.count, total = s.total + excluded.total,
      min = least(s.min, excluded.min), max = greatest(s.max, excluded.max)`)
}

/**
 * Moves payments that were counted under an unknown mint to the mint that a later event supplied.
 * @param mints policy address → mint, for policies whose mint has just become known
 * @param positions payments after the first position were counted under the right mint already; payments after the
 *   second position were not counted yet
 */
export async function moveToKnownMint(
  tx: PipelinedTx,
  mints: ReadonlyMap<string, string>,
  { before, upTo }: { before: bigint; upTo: bigint },
): Promise<void> {
  if (mints.size === 0) return
  const left = await tx.$queryRaw<LeftRow[]>`
    with moved as (
      select g.gateway, s.span,
             case s.span when 0 then 'epoch'::timestamptz
                  else to_timestamp(floor(extract(epoch from e.occurred_at) / s.span) * s.span) end as start,
             m.token_mint, count(*) as count, sum(e.amount) as total, min(e.amount) as min, max(e.amount) as max
        from unnest(${[...mints.keys()]}::text[], ${[...mints.values()]}::text[]) as m (policy, token_mint)
        join events e on e.payment_policy = m.policy and ${IS_PAYMENT} and e.retracted_at is null
         and e.token_mint is null and e.position <= ${before}
        cross join unnest(${[...SPANS]}::int[]) as s (span)
        cross join lateral (values (e.gateway), (${ALL_GATEWAYS})) as g (gateway)
       group by 1, 2, 3, 4
    ), deltas as (
      select gateway, span, start, token_mint, count, total, min, max from moved
      union all
      select gateway, span, start, ${UNKNOWN_MINT}, -sum(count), -sum(total), min(min), max(max)
        from moved group by 1, 2, 3
    ), added as (
      insert into payment_token_stats as s (gateway, span, start, token_mint, count, total, min, max)
      select gateway, span, start, token_mint, count, total, min, max from deltas
      on conflict (gateway, span, start, token_mint) do update set
        count = s.count + excluded.count, total = s.total + excluded.total,
        min = least(s.min, excluded.min), max = greatest(s.max, excluded.max)
      returning gateway, span, start, token_mint, count, min, max
    )
    select a.gateway, a.span, a.start, a.count,
           a.min = m.min or a.max = m.max as touched
      from added a
      join (select gateway, span, start, min(min) as min, max(max) as max from moved group by 1, 2, 3) m
        using (gateway, span, start)
     where a.token_mint = ${UNKNOWN_MINT}`
  const emptied = left.filter(({ count }) => count === 0n)
  // Only the payments show whether another payment of unknown mint has the same extreme.
  const touched = new Set(left.filter(row => row.count > 0n && row.touched).map(({ gateway }) => gateway))
  const hours = left.filter(({ gateway, span }) => span === HOUR_SECONDS && touched.has(gateway))
  if (emptied.length > 0) removeEmptied(tx, emptied)
  recountHours(tx, hours, upTo)
}

interface LeftRow {
  gateway: string
  span: number
  start: Date
  /** the remaining payments of unknown mint */
  count: bigint
  /** a moved payment was the least or the greatest */
  touched: boolean
}

const HOUR_SECONDS = 3_600

function removeEmptied(tx: PipelinedTx, emptied: readonly LeftRow[]): void {
  tx.send(sql`
    delete from payment_token_stats s
     using unnest(
       ${emptied.map(row => row.gateway)}::text[], ${emptied.map(row => row.span)}::int[],
       ${emptied.map(row => row.start.toISOString())}::timestamptz[]) as k (gateway, span, start)
     where (s.gateway, s.span, s.start, s.token_mint) = (k.gateway, k.span, k.start, ${UNKNOWN_MINT})`)
}

/** Policies of user payments whose mint has just become known, except policies with their own mint. */
export async function readPoliciesOf(
  tx: Tx,
  userPayments: readonly string[],
): Promise<{ address: string; userPayment: string }[]> {
  if (userPayments.length === 0) return []
  return tx.$queryRaw<{ address: string; userPayment: string }[]>`
    select address, user_payment as "userPayment" from policies
     where user_payment = any(${userPayments}::text[]) and token_mint is null`
}
