// Counts by name and figures of payments by gateway and token: kept by differences, in the transaction of their cause.
import {
  countByName,
  SPANS,
  sumPayments,
  type CountedPayment,
  type CountRow,
  type PaymentStatRow,
  type TokenStatRow,
} from '@payment-tracking/domain'
import { columnTable, type Columns } from '../database/columns.js'
import { sql } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { FigureDifference, NameDifference } from './hour-differences.js'
import { recountExtremes, type ReducedHour } from './recount-hours.js'

/** Adds a batch's events. */
export function addToFigures(
  tx: PipelinedTx,
  events: readonly { name: string; occurredAt: Date }[],
  payments: readonly CountedPayment[],
): void {
  addCounts(tx, countByName(events))
  const { stats, tokens } = sumPayments(payments)
  addPaymentStats(tx, stats)
  addTokenStats(tx, tokens)
}

const HOUR_SECONDS = SPANS[2]

interface Bucket {
  span: number
  start: Date
}

const BUCKET: Columns<Bucket> = {
  span: ['int', ({ span }) => span],
  start: ['timestamptz', ({ start }) => start],
}

const COUNTS = columnTable<CountRow>('d', {
  name: ['text', ({ name }) => name],
  ...BUCKET,
  count: ['bigint', ({ count }) => count],
})

/** What the figures of a gateway and those of its tokens have in common. */
const FIGURES: Columns<PaymentStatRow | TokenStatRow> = {
  gateway: ['text', ({ gateway }) => gateway],
  ...BUCKET,
  count: ['bigint', ({ count }) => count],
  total: ['numeric', ({ total }) => total],
  min: ['numeric', ({ min }) => min],
  max: ['numeric', ({ max }) => max],
}
const STATS = columnTable<PaymentStatRow>('d', {
  ...FIGURES,
  first_at: ['timestamptz', ({ firstAt }) => firstAt],
  last_at: ['timestamptz', ({ lastAt }) => lastAt],
})
const TOKENS = columnTable<TokenStatRow>('d', {
  ...FIGURES,
  token_mint: ['text', ({ tokenMint }) => tokenMint],
})

function addCounts(tx: PipelinedTx, rows: readonly CountRow[]): void {
  if (rows.length === 0) return
  tx.send(sql`
    insert into event_counts as c (${COUNTS.names}) select * from ${COUNTS.listOf(rows)}
    on conflict (name, span, start) do update set count = c.count + excluded.count`)
}

/** Of the old row `s` and the added row. An extreme that is being counted again is null, and stays null until then. */
const ADD_FIGURES = sql`
  count = s.count + excluded.count, total = s.total + excluded.total,
  min = case when s.min is not null then least(s.min, excluded.min) end,
  max = case when s.max is not null then greatest(s.max, excluded.max) end`

function addPaymentStats(tx: PipelinedTx, rows: readonly PaymentStatRow[]): void {
  if (rows.length === 0) return
  tx.send(sql`
    insert into payment_stats as s (${STATS.names}) select * from ${STATS.listOf(rows)}
    on conflict (gateway, span, start) do update set ${ADD_FIGURES},
      first_at = case when s.first_at is not null then least(s.first_at, excluded.first_at) end,
      last_at = case when s.last_at is not null then greatest(s.last_at, excluded.last_at) end`)
}

function addTokenStats(tx: PipelinedTx, rows: readonly TokenStatRow[]): void {
  if (rows.length === 0) return
  tx.send(sql`
    insert into payment_token_stats as s (${TOKENS.names}) select * from ${TOKENS.listOf(rows)}
    on conflict (gateway, span, start, token_mint) do update set ${ADD_FIGURES}`)
}

/** Adds what rows of hours lack. Extremes of a row that did not exist are not known yet. */
export function addDifferences(tx: PipelinedTx, differences: readonly FigureDifference[]): void {
  const rows = differences.map(row => ({ ...row, span: HOUR_SECONDS }))
  const tokens = rows.filter(({ tokenMint }) => tokenMint !== undefined)
  const others = rows.filter(({ tokenMint }) => tokenMint === undefined)
  if (others.length > 0)
    tx.send(sql`
      insert into payment_stats as s (gateway, span, start, count, total)
      select d.gateway, d.span, d.start, d.count, d.total from ${DIFFERENCES.listOf(others)}
      on conflict (gateway, span, start) do update set count = s.count + excluded.count, total = s.total + excluded.total`)
  if (tokens.length > 0)
    tx.send(sql`
      insert into payment_token_stats as s (gateway, span, start, token_mint, count, total)
      select d.gateway, d.span, d.start, d.token_mint, d.count, d.total from ${DIFFERENCES.listOf(tokens)}
      on conflict (gateway, span, start, token_mint) do update
         set count = s.count + excluded.count, total = s.total + excluded.total`)
  removeEmptied(tx, rows)
}

const DIFFERENCES = columnTable<FigureDifference>('d', {
  gateway: ['text', ({ gateway }) => gateway],
  span: ['int', () => HOUR_SECONDS],
  start: ['timestamptz', ({ start }) => start],
  token_mint: ['text', ({ tokenMint }) => tokenMint ?? null],
  count: ['bigint', ({ count }) => count],
  total: ['numeric', ({ total }) => total],
})

/** Adds what hours lack of events by name. */
export function addNames(tx: PipelinedTx, names: readonly NameDifference[]): void {
  const rows = names.map(({ count, ...row }) => ({ ...row, span: HOUR_SECONDS, count: Number(count) }))
  addCounts(tx, rows)
  if (rows.length > 0) removeUncounted(tx, rows)
}

/** A row that lost payments. */
type ReducedRow = Bucket & ReducedHour

/** Takes retracted events out of the figures. @param rows the most payments that are read for extremes; see `recountExtremes` */
export async function takeFromFigures(
  tx: PipelinedTx,
  events: readonly { name: string; occurredAt: Date }[],
  payments: readonly CountedPayment[],
  rows: number,
): Promise<void> {
  if (events.length === 0) return
  const counts = countByName(events)
  addCounts(
    tx,
    counts.map(row => ({ ...row, count: -row.count })),
  )
  removeUncounted(tx, counts)
  if (payments.length === 0) return
  const { stats, tokens } = sumPayments(payments)
  const reduced = await tx.$queryRaw<ReducedRow[]>(sql`
    update payment_stats s set count = s.count - d.count, total = s.total - d.total
      from ${STATS.listOf(stats)}
     where s.gateway = d.gateway and s.span = d.span and s.start = d.start
    returning s.gateway, s.span, s.start, s.count,
              coalesce(s.min = d.min or s.max = d.max or s.first_at = d.first_at or s.last_at = d.last_at, true) as touched`)
  await settle(tx, [...reduced, ...(await takeTokens(tx, tokens))], rows)
}

const removeUncounted = (tx: PipelinedTx, counts: readonly CountRow[]): void =>
  tx.send(sql`
    delete from event_counts c using ${COUNTS.listOf(counts)}
     where c.name = d.name and c.span = d.span and c.start = d.start and c.count = 0`)

/** Counts payments under another token than before: `before` holds them with the old mint, `after` with the new. */
export async function moveTokens(
  tx: PipelinedTx,
  before: readonly CountedPayment[],
  after: readonly CountedPayment[],
  rows: number,
): Promise<void> {
  if (before.length === 0) return
  addTokenStats(tx, sumPayments(after).tokens)
  await settle(tx, await takeTokens(tx, sumPayments(before).tokens), rows)
}

const takeTokens = (tx: PipelinedTx, tokens: readonly TokenStatRow[]): Promise<ReducedRow[]> =>
  tx.$queryRaw<ReducedRow[]>(sql`
    update payment_token_stats s set count = s.count - d.count, total = s.total - d.total
      from ${TOKENS.listOf(tokens)}
     where s.gateway = d.gateway and s.span = d.span and s.start = d.start and s.token_mint = d.token_mint
    returning s.gateway, s.span, s.start, s.token_mint as "tokenMint", s.count,
              coalesce(s.min = d.min or s.max = d.max, true) as touched`)

/**
 * Removes emptied rows, and counts the extremes of hours again whose difference does not tell them. A day or a total that
 * lost an extreme lost it with one of its hours.
 */
async function settle(tx: PipelinedTx, reduced: readonly ReducedRow[], rows: number): Promise<void> {
  const emptied = reduced.filter(({ count }) => count === 0n)
  if (emptied.length > 0) removeEmptied(tx, emptied)
  const hours = reduced.filter(({ span }) => span === HOUR_SECONDS)
  await recountExtremes(tx, hours, rows)
}

type KeyRow = Bucket & Pick<ReducedHour, 'gateway' | 'tokenMint'>
const KEY: Columns<KeyRow> = { gateway: ['text', ({ gateway }) => gateway], ...BUCKET }
const KEYS = columnTable('k', KEY)
const TOKEN_KEYS = columnTable<KeyRow>('k', {
  ...KEY,
  token_mint: ['text', ({ tokenMint }) => tokenMint ?? null],
})

function removeEmptied(tx: PipelinedTx, rows: readonly KeyRow[]): void {
  const isEmptied = sql`s.gateway = k.gateway and s.span = k.span and s.start = k.start and s.count = 0`
  const tokens = rows.filter(({ tokenMint }) => tokenMint !== undefined)
  const others = rows.filter(({ tokenMint }) => tokenMint === undefined)
  if (others.length > 0)
    tx.send(sql`delete from payment_stats s using ${KEYS.listOf(others)} where ${isEmptied}`)
  if (tokens.length > 0)
    tx.send(sql`
      delete from payment_token_stats s using ${TOKEN_KEYS.listOf(tokens)}
       where ${isEmptied} and s.token_mint = k.token_mint`)
}
