// Counts by gateway and name, and figures of payments by gateway and token. Counts and totals are sums: a change adds its difference to the
// rows of its spans, in the transaction that makes it. The least and the greatest payment of a row cannot be kept so: when the
// payment that leaves may be one of them, both become null, and a task reads the hour again (recount-hours.ts).
//
// Each row has a version. One version is read and counts every event. While a rebuild counts, another one counts the events up to a
// position (count-anew.ts): what is taken or moved of those leaves both.
import {
  DAY,
  figuresOf,
  HOUR,
  startOf,
  type CountedEvent,
  type CountRow,
  type Figures,
  type TokenStatRow,
} from '@payment-tracking/domain'
import { columnTable, type Columns } from '../../core/database/columns.js'
import { sql } from '../../core/database/sql.js'
import type { PipelinedTx } from '../../core/database/pipelined-transactions.js'
import type { LockedHead } from '../../core/tables/head.js'
import { recountAnew, recountLater } from './recount-hours.js'

/** What figures need to know of a stored event. */
export interface StoredEvent extends Omit<CountedEvent, 'amount'> {
  position: bigint
  amount: string | null
}

export const figuresOfStored = (events: readonly StoredEvent[]): Figures =>
  figuresOf(
    events.map(({ amount, ...event }) => ({ ...event, amount: amount === null ? null : BigInt(amount) })),
  )

/** The versions of rows, each with those of some stored events that it counts. */
function* byVersion<Event extends { position: bigint }>(
  { figuresVersion, countingVersion, countedPosition }: LockedHead,
  events: readonly Event[],
) {
  yield { version: figuresVersion, counted: events }
  if (countingVersion !== null)
    yield { version: countingVersion, counted: events.filter(({ position }) => position <= countedPosition) }
}

/** Takes stored events out of the figures. */
export async function takeEvents(
  tx: PipelinedTx,
  head: LockedHead,
  events: readonly StoredEvent[],
): Promise<void> {
  for (const { version, counted } of byVersion(head, events))
    await take(tx, version, figuresOfStored(counted))
}

/** Counts stored payments under another token than `before`. */
export async function moveTokens(
  tx: PipelinedTx,
  head: LockedHead,
  payments: readonly (CountedEvent & { position: bigint; before: string | null })[],
): Promise<void> {
  for (const { version, counted } of byVersion(head, payments)) {
    const left = counted.map(payment => ({ ...payment, tokenMint: payment.before }))
    await take(tx, version, { counts: [], tokens: figuresOf(left).tokens })
    addNew(tx, version, { counts: [], tokens: figuresOf(counted).tokens })
  }
}

const SPAN_COLUMNS: Columns<CountRow | TokenStatRow> = {
  gateway: ['text', ({ gateway }) => gateway],
  span: ['int', ({ span }) => span],
  start: ['timestamptz', ({ start }) => start],
  count: ['bigint', ({ count }) => count],
}
const COUNTS = columnTable<CountRow>('d', { ...SPAN_COLUMNS, name: ['text', ({ name }) => name] })
const TOKENS = columnTable<TokenStatRow>('d', {
  ...SPAN_COLUMNS,
  token_mint: ['text', ({ tokenMint }) => tokenMint],
  total: ['numeric', ({ total }) => total],
  min: ['numeric', ({ min }) => min],
  max: ['numeric', ({ max }) => max],
})

/** Of the old row `s` and the added row: lost extremes stay lost, and what is taken may be an extreme. */
const KEEPS = sql`
  excluded.min is not null and s.min is not null
  and (excluded.count > 0 or (excluded.min > s.min and excluded.max < s.max))`
const ADD_TOKENS = sql`
  count = s.count + excluded.count, total = s.total + excluded.total,
  min = case when ${KEEPS} then least(s.min, case when excluded.count > 0 then excluded.min end) end,
  max = case when ${KEEPS} then greatest(s.max, case when excluded.count > 0 then excluded.max end) end`

/** Adds what new events bring, in statements of different tables. */
export function addNew(tx: PipelinedTx, version: number, { counts, tokens }: Figures): void {
  if (counts.length > 0) tx.send(countsAdded(version, counts))
  if (tokens.length > 0) tx.send(tokensAdded(version, tokens))
}

/** SQL: adds to what is stored. */
const countsAdded = (version: number, rows: readonly CountRow[]) => sql`
  insert into event_counts as s (version, ${COUNTS.names}) select ${version}::int, * from ${COUNTS.listOf(rows)}
  on conflict (version, gateway, span, name, start) do update set count = s.count + excluded.count`

/** SQL: adds to what is stored. */
const tokensAdded = (version: number, rows: readonly TokenStatRow[]) => sql`
  insert into payment_token_stats as s (version, ${TOKENS.names}) select ${version}::int, * from ${TOKENS.listOf(rows)}
  on conflict (version, gateway, span, start, token_mint) do update set ${ADD_TOKENS}`

/**
 * Takes what was added: the extremes of its tokens are those of what leaves. Leaves tasks for the extremes that rows lost, and removes
 * rows that count nothing. SQL: a list of keys of several columns.
 */
async function take(tx: PipelinedTx, version: number, { counts, tokens }: Figures): Promise<void> {
  addNew(tx, version, { counts: counts.map(negated), tokens: [] })
  if (tokens.length > 0) {
    const rows = tokens.map(row => ({ ...negated(row), total: -row.total }))
    const stored = await tx.$queryRaw<(TokenKey & { isLost: boolean })[]>(sql`
      ${tokensAdded(version, rows)} returning s.gateway, s.span, s.start, s.token_mint as "tokenMint", s.count > 0 and s.min is null as "isLost"`)
    const lost = new Set(stored.filter(({ isLost }) => isLost).map(tokenKey))
    const hours = tokens.filter(({ span }) => span === HOUR)
    const ofDay = (row: TokenStatRow) => ({ ...row, span: DAY, start: startOf(DAY, row.start) })
    recountAnew(tx, hours)
    recountLater(
      tx,
      hours.filter(row => lost.has(tokenKey(row)) || lost.has(tokenKey(ofDay(row)))),
    )
  }
  const isEmptied = sql`
    s.version = ${version} and s.gateway = d.gateway and s.span = d.span and s.start = d.start and s.count = 0`
  if (counts.length > 0)
    tx.send(
      sql`delete from event_counts s using ${COUNTS.listOf(counts)} where ${isEmptied} and s.name = d.name`,
    )
  if (tokens.length > 0)
    tx.send(sql`
      delete from payment_token_stats s using ${TOKENS.listOf(tokens)} where ${isEmptied} and s.token_mint = d.token_mint`)
}

const negated = <Row extends { count: number }>(row: Row): Row => ({ ...row, count: -row.count })

type TokenKey = Pick<TokenStatRow, 'gateway' | 'span' | 'start' | 'tokenMint'>
const tokenKey = ({ gateway, span, start, tokenMint }: TokenKey): string =>
  `${gateway} ${span} ${start.getTime()} ${tokenMint}`
