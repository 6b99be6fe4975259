// An hour of many payments is read in pages, to find its extremes and those of its tokens that lack them.
import { ALL_GATEWAYS, SPANS, UNKNOWN_MINT } from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../rows/payment-names.js'
import type { GatewayHour } from './gateway-hours.js'
import { isOneOf, sumUp } from './sum-hours.js'
import type { Work } from './work.js'

const [, , HOUR] = SPANS
const TOKENS_AT_ONCE = 500

/** What the pages of an hour have found so far. */
interface HourSoFar {
  count: number
  first: string
  last: string
  /** of all tokens, in decimal digits; '' while there is no payment */
  min: string
  max: string
  /** by mint, of tokens whose row lacks its extremes: least and greatest amount */
  tokens: Record<string, [min: string, max: string]>
  /** there are more such tokens than one count takes */
  isCut: boolean
}

const NOTHING_YET: HourSoFar = { count: 0, first: '', last: '', min: '', max: '', tokens: {}, isCut: false }

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
 * meanwhile are found by their number: the hour is then read again. It is read again, too, for each 500 tokens that lack
 * their extremes: an hour can have as many tokens as payments.
 * @param of.limit the most rows of the page
 * @param of.tokensAtOnce default 500
 * @returns the work that is left of the hour; null when none is
 */
export async function recountPage(
  tx: PipelinedTx,
  work: Work,
  { limit, tokensAtOnce = TOKENS_AT_ONCE }: { limit: number; tokensAtOnce?: number | undefined },
): Promise<Work | null> {
  const [start, gateway] = work.address.split(' ') as [string, string]
  const hour = { gateway, start: new Date(start) }
  const soFar = (work.state as HourSoFar | null) ?? structuredClone(NOTHING_YET)
  const again = { ...work, cursor: '', state: null }
  const rows = await readHourPage(tx, hour, { cursor: work.cursor, limit })
  const paid = rows.filter(({ counts }) => counts)
  const lacking = await readLacking(tx, hour, new Set(paid.map(row => row.token_mint)))
  for (const row of paid) addToHour(soFar, row, { lacking, tokensAtOnce })
  if (rows.length === limit) return { ...work, cursor: cursorOf(rows.at(-1)!), state: soFar }
  const [figures] = await tx.$queryRaw<{ count: bigint }[]>(sql`
    select count from payment_stats where gateway = ${gateway} and span = ${HOUR}::int and start = ${hour.start}`)
  if (Number(figures?.count ?? 0n) !== soFar.count) return again
  if (soFar.count === 0) return null
  writeExtremes(tx, hour, soFar)
  return soFar.isCut ? again : null
}

/** Those of some tokens whose extremes in the hour are not known. Without `offset 0`, Postgres may read all of the hour. */
async function readLacking(
  tx: Tx,
  { gateway, start }: GatewayHour,
  mints: ReadonlySet<string>,
): Promise<Set<string>> {
  if (mints.size === 0) return new Set()
  const rows = await tx.$queryRaw<{ mint: string }[]>(sql`
    select k.mint from unnest(${[...mints]}::text[]) as k (mint)
     cross join lateral (
       select from payment_token_stats s
        where s.gateway = ${gateway} and s.span = ${HOUR}::int and s.start = ${start} and s.token_mint = k.mint
          and (s.min is null or s.max is null) offset 0) s`)
  return new Set(rows.map(({ mint }) => mint))
}

const lesser = (a: string, b: string): string => (a === '' || BigInt(b) < BigInt(a) ? b : a)
const greater = (a: string, b: string): string => (a === '' || BigInt(b) > BigInt(a) ? b : a)

function addToHour(
  soFar: HourSoFar,
  { amount, token_mint: mint, time }: HourRow,
  { lacking, tokensAtOnce }: { lacking: ReadonlySet<string>; tokensAtOnce: number },
): void {
  const at = time.toISOString()
  soFar.count += 1
  soFar.first ||= at
  soFar.last = at
  soFar.min = lesser(soFar.min, amount)
  soFar.max = greater(soFar.max, amount)
  if (!lacking.has(mint)) return
  const known = soFar.tokens[mint]
  if (known) soFar.tokens[mint] = [lesser(known[0], amount), greater(known[1], amount)]
  else if (Object.keys(soFar.tokens).length < tokensAtOnce) soFar.tokens[mint] = [amount, amount]
  else soFar.isCut = true
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

function writeExtremes(
  tx: PipelinedTx,
  hour: GatewayHour,
  { first, last, min, max, tokens }: HourSoFar,
): void {
  const mints = Object.entries(tokens)
  const found = mints.map(([tokenMint]) => ({ ...hour, tokenMint }))
  tx.send(sql`
    update payment_stats set min = ${min}::numeric, max = ${max}::numeric,
           first_at = ${first}::timestamptz, last_at = ${last}::timestamptz
     where gateway = ${hour.gateway} and span = ${HOUR}::int and start = ${hour.start}`)
  tx.send(sql`
    update payment_token_stats s set min = d.min, max = d.max
      from unnest(${mints.map(([mint]) => mint)}::text[], ${mints.map(([, [least]]) => least)}::numeric[],
                  ${mints.map(([, [, greatest]]) => greatest)}::numeric[]) as d (token_mint, min, max)
     where s.token_mint = d.token_mint and ${isOneOf(found, HOUR)}`)
  sumUp(tx, [hour], found)
}
