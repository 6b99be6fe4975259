// Counts by name, and figures of payments by gateway and token. Counts and totals are sums: a change adds its difference to the
// rows of its spans, in the transaction that makes it. The least and the greatest payment of a row cannot be kept so: when the
// payment that leaves may be one of them, both become null, and a task reads the hour again (recount-hours.ts).
import {
  countByName,
  DAY,
  HOUR,
  startOf,
  sumPayments,
  type CountedPayment,
  type CountRow,
  type PaymentStatRow,
  type TokenStatRow,
} from '@payment-tracking/domain'
import { columnTable, type Columns } from '../../core/database/columns.js'
import { sql, type Sql } from '../../core/database/sql.js'
import type { PipelinedTx } from '../../core/database/pipelined-transactions.js'
import { recountAnew, recountLater } from './recount-hours.js'

/** Rows to add, in any spans. A row of tokens without extremes loses those of the stored row. */
export interface Differences {
  names?: readonly CountRow[]
  stats?: readonly PaymentStatRow[]
  tokens?: readonly TokenStatRow[]
  /** of a correction: without extremes too, where those of the stored row stay */
  totals?: readonly TokenStatRow[]
}

/** @param payments the payments among the events */
export const differencesOf = (
  events: readonly { name: string; occurredAt: Date }[],
  payments: readonly CountedPayment[],
): Differences => ({ names: countByName(events), ...sumPayments(payments) })

/** What leaves the figures again. The extremes are those of what leaves. */
export const taken = ({ names = [], stats = [], tokens = [] }: Omit<Differences, 'totals'>): Differences => ({
  names: names.map(row => ({ ...row, count: -row.count })),
  stats: stats.map(row => ({ ...row, count: -row.count })),
  tokens: tokens.map(row => ({ ...row, count: -row.count, total: -row.total })),
})

const BUCKET: Columns<{ span: number; start: Date; count: number }> = {
  span: ['int', ({ span }) => span],
  start: ['timestamptz', ({ start }) => start],
  count: ['bigint', ({ count }) => count],
}
const NAMES = columnTable<CountRow>('d', { name: ['text', ({ name }) => name], ...BUCKET })
const STATS = columnTable<PaymentStatRow>('d', { gateway: ['text', ({ gateway }) => gateway], ...BUCKET })
const TOKENS = columnTable<TokenStatRow>('d', {
  gateway: ['text', ({ gateway }) => gateway],
  ...BUCKET,
  token_mint: ['text', ({ tokenMint }) => tokenMint],
  total: ['numeric', ({ total }) => total],
  min: ['numeric', ({ min }) => min],
  max: ['numeric', ({ max }) => max],
})

/** Of the old row `s` and the added row: lost extremes stay lost, and what is taken may be an extreme. */
const KEEPS = sql`
  excluded.min is not null and s.min is not null
  and (excluded.count > 0 or (excluded.min > s.min and excluded.max < s.max))`
const ADD_TOTALS = sql`count = s.count + excluded.count, total = s.total + excluded.total`
const ADD_TOKENS = sql`
  ${ADD_TOTALS},
  min = case when ${KEEPS} then least(s.min, case when excluded.count > 0 then excluded.min end) end,
  max = case when ${KEEPS} then greatest(s.max, case when excluded.count > 0 then excluded.max end) end`

/**
 * Adds differences to the figures. Resolves when all statements are sent, and does not wait for Postgres while everything
 * is added. What is taken may leave work.
 */
export async function addDifferences(
  tx: PipelinedTx,
  { names = [], stats = [], tokens = [], totals }: Differences,
): Promise<void> {
  const isCorrection = totals !== undefined
  addCounts(tx, names, stats)
  removeEmptied(tx, { names: names.filter(isTaken), stats: stats.filter(isTaken) })
  await addTokens(
    tx,
    tokens,
    ADD_TOKENS,
    tokens.filter(row => isCorrection || isTaken(row)),
  )
  if (isCorrection) await addTokens(tx, totals, ADD_TOTALS, totals)
}

const isTaken = ({ count }: { count: number }): boolean => count < 0

/** Adds what new events bring, in statements of different tables. */
export function addNew(tx: PipelinedTx, { names = [], stats = [], tokens = [] }: Differences): void {
  addCounts(tx, names, stats)
  sendTokens(tx, tokens, ADD_TOKENS)
}

/** SQL: adds to what is stored. */
function addCounts(tx: PipelinedTx, names: readonly CountRow[], stats: readonly PaymentStatRow[]): void {
  if (names.length > 0)
    tx.send(sql`
      insert into event_counts as s (${NAMES.names}) select * from ${NAMES.listOf(names)}
      on conflict (name, span, start) do update set count = s.count + excluded.count`)
  if (stats.length > 0)
    tx.send(sql`
      insert into payment_stats as s (${STATS.names}) select * from ${STATS.listOf(stats)}
      on conflict (gateway, span, start) do update set count = s.count + excluded.count`)
}

/** SQL: adds to what is stored. */
const tokensAdded = (rows: readonly TokenStatRow[], set: Sql): Sql => sql`
  insert into payment_token_stats as s (${TOKENS.names}) select * from ${TOKENS.listOf(rows)}
  on conflict (gateway, span, start, token_mint) do update set ${set}`

function sendTokens(tx: PipelinedTx, rows: readonly TokenStatRow[], set: Sql): void {
  if (rows.length > 0) tx.send(tokensAdded(rows, set))
}

/** @param reducing those of the rows that can end a stored row, or take its extremes */
async function addTokens(
  tx: PipelinedTx,
  rows: readonly TokenStatRow[],
  set: Sql,
  reducing: readonly TokenStatRow[],
): Promise<void> {
  if (rows.length === 0) return
  if (reducing.length === 0) return sendTokens(tx, rows, set)
  const stored = await tx.$queryRaw<(TokenKey & { isLost: boolean })[]>(sql`
    ${tokensAdded(rows, set)} returning s.gateway, s.span, s.start, s.token_mint as "tokenMint", s.count > 0 and s.min is null as "isLost"`)
  removeEmptied(tx, { tokens: reducing })
  const lost = new Set(stored.filter(({ isLost }) => isLost).map(tokenKey))
  const hours = reducing.filter(({ span }) => span === HOUR)
  recountAnew(tx, hours)
  recountLater(
    tx,
    hours.filter(
      row =>
        lost.has(tokenKey(row)) || lost.has(tokenKey({ ...row, span: DAY, start: startOf(DAY, row.start) })),
    ),
  )
}

type TokenKey = Pick<TokenStatRow, 'gateway' | 'span' | 'start' | 'tokenMint'>
const tokenKey = ({ gateway, span, start, tokenMint }: TokenKey): string =>
  `${gateway} ${span} ${start.getTime()} ${tokenMint}`

/** SQL: a list of keys of several columns. */
function removeEmptied(tx: PipelinedTx, { names = [], stats = [], tokens = [] }: Differences): void {
  const isEmptied = sql`s.span = d.span and s.start = d.start and s.count = 0`
  if (names.length > 0)
    tx.send(sql`
      delete from event_counts s using ${NAMES.listOf(names)} where s.name = d.name and ${isEmptied}`)
  if (stats.length > 0)
    tx.send(sql`
      delete from payment_stats s using ${STATS.listOf(stats)} where s.gateway = d.gateway and ${isEmptied}`)
  if (tokens.length > 0)
    tx.send(sql`
      delete from payment_token_stats s using ${TOKENS.listOf(tokens)}
       where s.gateway = d.gateway and s.token_mint = d.token_mint and ${isEmptied}`)
}

/** Counts payments under another token than before: `before` holds them with the old mint, `after` with the new. */
export async function moveTokens(
  tx: PipelinedTx,
  before: readonly CountedPayment[],
  after: readonly CountedPayment[],
): Promise<void> {
  if (before.length === 0) return
  await addDifferences(tx, taken({ tokens: sumPayments(before).tokens }))
  await addDifferences(tx, { tokens: sumPayments(after).tokens })
}
