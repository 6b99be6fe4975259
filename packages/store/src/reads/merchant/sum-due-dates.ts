// Postgres adds up what a gateway's policies owe. It counts due dates by a formula and lists none of them: a subscription that is due
// each second has millions in a month. `dueDatesOf` in the API lists the same dates one by one, and a test compares both.
import { LAST_SECOND } from '@payment-tracking/domain'
import type { Store } from '../../core/database/open-store.js'
import { inline, sql, type Sql } from '../../core/database/sql.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'
import { isActive, isOverdue, type StateClock } from './subscriber-state.js'

/** Policies of a statement, and of an answer: the newest. */
const POLICIES_AT_ONCE = 2_500
const MOST_SUMMED_POLICIES = 100_000
/** Rows by day and token of an answer: each policy can have a token of its own. */
const MOST_DAYS = 10_000
/** By day only the beginning of a long span is listed. */
const DAYS_LISTED = 400
const DAY = 86_400

export interface DueSum {
  tokenMint: string | null
  count: bigint
  total: bigint
}

export interface DueSums {
  byToken: (DueSum & { overdue: Pick<DueSum, 'count' | 'total'> })[]
  /** days since 1970, ascending */
  byDay: (DueSum & { day: number })[]
  /** false when the sums are of a part alone */
  complete: boolean
}

interface Key {
  createdAt: bigint
  address: string
}

interface DueDateRow {
  day: number | null
  mint: string | null
  count: string
  total: string
  overdueCount: string
  overdueTotal: string
}

/** As a parameter: the text of the statement stays the same, so it is prepared once. */
const second = (value: number): Sql => sql`${BigInt(value)}::bigint`

/** Months since the year 0, and seconds since that month began, of a second. */
function monthOf(second: number): { month: number; seconds: number } {
  const date = new Date(second * 1_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { month: year * 12 + month, seconds: second - Date.UTC(year, month, 1) / 1_000 }
}

const monthStart = (month: Sql): Sql => sql`make_date(((${month}) / 12)::int, ((${month}) % 12)::int + 1, 1)`

/**
 * The day of the month of the step `q` of policy `t`. Each date follows from the date before, so the shortest month on the way
 * decides; within two years each month has been met at its shortest.
 */
const dayOfStep = (q: Sql): Sql => sql`
  case when t.first_day <= 28 then t.first_day else
    (select min(least(t.first_day, extract(day from ${monthStart(sql`t.first_month + j * t.months`)}
                                                    + interval '1 month' - interval '1 day')))::int
       from generate_series(0, least(${q}, 24 / t.months)) j) end`

/** How many due dates of policy `t` are before a second: its steps 0, 1, … */
function stepsBefore(moment: number): Sql {
  const { month, seconds } = monthOf(moment)
  const between = sql`(${month}::int - t.first_month)`
  return sql`
    case when t.next >= ${second(moment)} then 0
         when t.months is not null then least(1201, ${between} / t.months
           + case when ${between} % t.months <> 0
                    or (${dayOfStep(sql`${between} / t.months`)} - 1) * ${inline(DAY)} + t.next % ${inline(DAY)} < ${second(seconds)}
                  then 1 else 0 end)
         when t.seconds > 0 then ceil((${second(moment)} - t.next) / t.seconds)
         else 1 end`
}

/** At most one date of policy `t` is on each day. */
const isSparse = sql`(t.seconds is null or t.seconds >= ${inline(DAY)})`

/** It has several on some. What is not dense is not computed: anybody can choose a period of 2⁶⁴−1 seconds. */
const isDense = sql`(t.seconds < ${inline(DAY)} and t.listed > 0)`

/** The day of a step of policy `t`, since 1970. */
const epochDay = (q: Sql): Sql => sql`
  case when t.months is null then floor((t.next + ${q} * coalesce(t.seconds, 0)) / ${inline(DAY)})::int
       else ${monthStart(sql`t.first_month + ${q} * t.months`)} - date '1970-01-01' + ${dayOfStep(q)} - 1 end`

/** What the sums of a page of policies are computed from. */
interface SumSpan {
  gateway: string
  page: { after: Key | undefined; last: Key | undefined }
  /** Unix seconds */
  from: number
  to: number
  clock: StateClock
}

/**
 * The policies of a page with their terms, as `term t`: the next date, how many dates are left, and the period in months or seconds.
 * Relies on policies_gateway_live; then each policy costs one probe of user_payments.
 */
function termsOf({ gateway, page: { after, last }, to, clock }: SumSpan): Sql {
  const isAfter = after ? sql`and (p.created_at, p.address) < (${after.createdAt}, ${after.address})` : sql``
  const isUpTo = last ? sql`and (p.created_at, p.address) >= (${last.createdAt}, ${last.address})` : sql``
  return sql`
    policy as materialized (
      select ${POLICY_MINT} as mint, ${isOverdue(clock)} as overdue, p.payment_count, p.created_at, p.next_payment_due,
             p.policy_type -> 'Subscription' as s, p.policy_type -> 'OneTime' as o
        from policies p ${WITH_USER_PAYMENT}
       where p.gateway = ${gateway} and p.live ${isAfter} ${isUpTo} and ${isActive(clock)}
         and (p.policy_type::text like '{"Subscription"%' or p.policy_type::text like '{"OneTime"%')
    ), named as materialized (
      select mint, overdue, o is not null as once, (coalesce(s, o) ->> 'amount')::numeric as amount,
             case when o is null then next_payment_due::numeric
                  when payment_count > 0 then null
                  when (o ->> 'due_date')::numeric > 0 then (o ->> 'due_date')::numeric
                  else created_at::numeric end as next,
             case when o is not null then 1::numeric
                  when (s ->> 'max_renewals') is null then null
                  when (s ->> 'auto_renew')::boolean then (s ->> 'max_renewals')::numeric - payment_count
                  else 1 - payment_count end as remaining,
             -- The frequency is {"Monthly":null} or {"Custom":60}: this is its first word.
             substring((s -> 'payment_frequency')::text from '"([A-Za-z]+)"') as frequency, s -> 'payment_frequency' ->> 'Custom' as custom
        from policy
    ), term as materialized (
      select mint, overdue, amount, next, coalesce(remaining, 'infinity') - (next < ${second(clock.nowSeconds)})::int as most,
             case frequency when 'Monthly' then 1 when 'Quarterly' then 3 when 'SemiAnnually' then 6 when 'Annually' then 12 end as months,
             case frequency when 'Daily' then 86400 when 'Weekly' then 604800 when 'Custom' then nullif(custom::numeric, 0) end as seconds,
             extract(day from at)::int as first_day, (extract(year from at) * 12 + extract(month from at) - 1)::int as first_month
        from named
       cross join lateral (select timestamp '1970-01-01' + make_interval(secs => least(greatest(next, 0), ${inline(LAST_SECOND)})::float8) as at) a
       where next >= 0 and next < ${second(to)} and coalesce(remaining, 1) > 0
    )`
}

/** The dates of `due` by day. A policy whose period is shorter than a day is counted for each day; the others have a date on some. */
const daysOf = (listed: number): Sql => sql`
    days as (
      select floor(next / ${inline(DAY)})::int as day, mint, amount, 1::numeric as count from due
       where owed = 1 and next < ${second(listed)}
      union all
      select d.day, t.mint, t.amount, d.count
        from due t
       cross join lateral (
         select ${epochDay(sql`q`)} as day, 1::numeric as count
           from generate_series(case when ${isSparse} then t.first_step::int end,
                                case when ${isSparse} then (t.first_step + t.listed)::int - 1 end) q
         union all
         select day, least(t.listed, ceil(greatest(0, (day + 1)::numeric * ${inline(DAY)} - t.next) / t.seconds) - t.first_step)
                   - least(t.listed, greatest(0, ceil(greatest(0, day::numeric * ${inline(DAY)} - t.next) / t.seconds) - t.first_step))
           from generate_series(case when ${isDense} then floor((t.next + t.first_step * t.seconds) / ${inline(DAY)})::int end,
                                case when ${isDense}
                                     then floor((t.next + (t.first_step + t.listed - 1) * t.seconds) / ${inline(DAY)})::int end) day) d
    )`

/** The sums of a page of policies. A date that has passed is owed once: a payment of today leaves no date before it. */
function sumsOf(span: SumSpan): Sql {
  const { from, to, clock } = span
  const coming = Math.max(from, clock.nowSeconds)
  const listed = Math.min(to, from + DAYS_LISTED * DAY)
  const steps = (moment: number): Sql =>
    moment <= coming
      ? sql`0::numeric`
      : sql`least(t.most, ${stepsBefore(moment)} - ${stepsBefore(coming)})::numeric`
  return sql`
    with ${termsOf(span)}, due as materialized (
      select t.*, case when next < ${second(coming)} and next >= ${second(from)} then 1 else 0 end as owed,
             ${stepsBefore(coming)}::numeric as first_step, ${steps(to)} as coming, ${steps(listed)} as listed
        from term t
    ), ${daysOf(listed)}
    select null::int as day, mint, sum(owed + coming)::text as count, sum((owed + coming) * amount)::text as total,
           sum(case when overdue then owed else 0 end)::text as "overdueCount",
           sum(case when overdue then owed * amount else 0 end)::text as "overdueTotal"
      from due group by mint having sum(owed + coming) > 0
    union all
    (select day, mint, sum(count)::text, sum(count * amount)::text, '0', '0'
       from days group by day, mint order by day, mint limit ${inline(MOST_DAYS + 1)})`
}

/** The key of the last of the next policies; undefined when they are the last. */
async function findEnd(
  { database }: Store,
  gateway: string,
  after: Key | undefined,
): Promise<Key | undefined> {
  const isAfter = after ? sql`and (p.created_at, p.address) < (${after.createdAt}, ${after.address})` : sql``
  const [end] = await database.read<Key>(sql`
    select p.created_at as "createdAt", p.address from policies p
     where p.gateway = ${gateway} and p.live ${isAfter}
     order by p.created_at desc, p.address desc offset ${inline(POLICIES_AT_ONCE - 1)} limit 1`)
  return end
}

/** Adds up page by page, so that no statement grows with the number of policies. */
class Sums {
  readonly byToken = new Map<string | null, DueSums['byToken'][number]>()
  readonly byDay = new Map<string, DueSums['byDay'][number]>()
  complete = true

  add({ day, mint, count, total, overdueCount, overdueTotal }: DueDateRow): void {
    const [more, amount] = [BigInt(count), BigInt(total)]
    if (day === null) {
      const sum = this.byToken.get(mint) ?? {
        tokenMint: mint,
        count: 0n,
        total: 0n,
        overdue: { count: 0n, total: 0n },
      }
      this.byToken.set(mint, sum)
      sum.count += more
      sum.total += amount
      sum.overdue.count += BigInt(overdueCount)
      sum.overdue.total += BigInt(overdueTotal)
      return
    }
    const key = `${day} ${mint ?? ''}`
    const sum = this.byDay.get(key) ?? { tokenMint: mint, day, count: 0n, total: 0n }
    this.byDay.set(key, sum)
    sum.count += more
    sum.total += amount
  }

  /** The first days, as many rows as an answer holds. */
  days(): DueSums['byDay'] {
    const days = [...this.byDay.values()].sort((a, b) => a.day - b.day)
    if (days.length > MOST_DAYS) this.complete = false
    return days.slice(0, MOST_DAYS)
  }
}

/**
 * What is due in a span, by token, and by day for the first 400 days. Of each active subscription and one-time policy it counts the
 * payment whose date has passed, and each date to come until its renewals end.
 * @param span Unix seconds, from 1970 to 9999
 */
export async function sumDueDates(
  store: Store,
  gateway: string,
  span: { from: number; to: number },
  clock: StateClock,
): Promise<DueSums> {
  const sums = new Sums()
  let after: Key | undefined
  for (let read = 0; ; read += POLICIES_AT_ONCE) {
    if (read >= MOST_SUMMED_POLICIES) {
      sums.complete = false
      break
    }
    const last = await findEnd(store, gateway, after)
    const rows = await store.database.read<DueDateRow>(
      sumsOf({ gateway, page: { after, last }, ...span, clock }),
    )
    for (const row of rows) sums.add(row)
    if (last === undefined) break
    after = last
  }
  const byDay = sums.days()
  return { byToken: [...sums.byToken.values()], byDay, complete: sums.complete }
}
