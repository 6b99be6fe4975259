// Counts and sums by gateway, name and token, for all time, by day and by hour of the event's timestamp, so that no
// request scans events. They are additive: a batch adds one row to each group.

/** Seconds that a row covers; 0 is all time. */
export const SPANS = [0, 86_400, 3_600] as const
export const [, DAY, HOUR] = SPANS
export type Span = (typeof SPANS)[number]

/** The gateway of rows over all gateways, and the mint of payments whose mint is not known yet. */
export const ALL_GATEWAYS = ''
export const UNKNOWN_MINT = ''

interface SpanRow {
  gateway: string
  span: Span
  start: Date
  count: number
}

/** Events of a name. Of one gateway only payments are counted. */
export interface CountRow extends SpanRow {
  name: string
}

/** Payments in a token. */
export interface TokenStatRow extends SpanRow {
  tokenMint: string
  total: bigint
  /** null of all time: extremes are kept by hour and day */
  min: bigint | null
  max: bigint | null
}

export interface CountedEvent {
  name: string
  occurredAt: Date
  gateway: string | null
  /** null for an event that is no payment */
  amount: bigint | null
  tokenMint: string | null
}

export interface Figures {
  counts: CountRow[]
  tokens: TokenStatRow[]
}

/** The start of the span a moment lies in. */
export const startOf = (span: Span, at: Date): Date =>
  span === 0 ? new Date(0) : new Date(Math.floor(at.getTime() / (span * 1000)) * span * 1000)

/** Adds up by hour first: a batch has thousands of events and a few hours. */
export function figuresOf(events: readonly CountedEvent[]): Figures {
  const counts = new Map<string, CountRow>()
  const tokens = new Map<string, TokenStatRow>()
  for (const { name, occurredAt: start, gateway: of, amount, tokenMint: mint } of events) {
    const hour = Math.floor(start.getTime() / 3_600_000)
    const gateway = amount === null ? ALL_GATEWAYS : of!
    add(counts, `${gateway} ${hour} ${name}`, { gateway, name, span: HOUR, start, count: 1 })
    if (amount === null) continue
    const tokenMint = mint ?? UNKNOWN_MINT
    const sums = { count: 1, total: amount, min: amount, max: amount }
    add(tokens, `${gateway} ${hour} ${tokenMint}`, { gateway, tokenMint, span: HOUR, start, ...sums })
  }
  return {
    counts: widen(counts, ({ name }) => name),
    tokens: widen(tokens, ({ tokenMint }) => tokenMint).map(row =>
      row.span === 0 ? { ...row, min: null, max: null } : row,
    ),
  }
}

/** Rows of each span, of the gateway and of all, in the order of their keys. */
function widen<Row extends SpanRow & Partial<TokenStatRow>>(
  hours: ReadonlyMap<string, Row>,
  nameOf: (row: Row) => string,
): Row[] {
  const rows = new Map<string, Row>()
  for (const hour of hours.values())
    for (const gateway of new Set([hour.gateway, ALL_GATEWAYS]))
      for (const span of SPANS) {
        const start = startOf(span, hour.start)
        add(rows, `${gateway} ${span} ${start.getTime()} ${nameOf(hour)}`, { ...hour, gateway, span, start })
      }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** Adds a row to that of its key. */
function add<Row extends SpanRow & Partial<TokenStatRow>>(
  rows: Map<string, Row>,
  key: string,
  added: Row,
): void {
  const row = rows.get(key)
  if (!row) {
    rows.set(key, added)
    return
  }
  row.count += added.count
  if (added.total === undefined) return
  row.total! += added.total
  if (added.min! < row.min!) row.min = added.min!
  if (added.max! > row.max!) row.max = added.max!
}
