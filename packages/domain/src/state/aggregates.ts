// Counts and sums by name, gateway and token, for all time, by day and by hour of the event's timestamp, so that no
// request scans events. They are additive: a batch adds one row to each group.

/** Seconds that a row covers; 0 is all time. */
export const SPANS = [0, 86_400, 3_600] as const
export const [, DAY, HOUR] = SPANS
export type Span = (typeof SPANS)[number]

/** The gateway of rows over all gateways, and the mint of payments whose mint is not known yet. */
export const ALL_GATEWAYS = ''
export const UNKNOWN_MINT = ''

export interface CountRow {
  name: string
  span: Span
  start: Date
  count: number
}

export interface PaymentStatRow {
  gateway: string
  span: Span
  start: Date
  count: number
}

export interface TokenStatRow extends PaymentStatRow {
  tokenMint: string
  total: bigint
  /** null of all time: extremes are kept by hour and day */
  min: bigint | null
  max: bigint | null
}

export interface CountedPayment {
  gateway: string
  amount: bigint
  tokenMint: string | null
  occurredAt: Date
}

/** The start of the span a moment lies in. */
export const startOf = (span: Span, at: Date): Date =>
  span === 0 ? new Date(0) : new Date(Math.floor(at.getTime() / (span * 1000)) * span * 1000)

/** Counts by hour first: a batch has thousands of events and a few hours. */
export function countByName(events: readonly { name: string; occurredAt: Date }[]): CountRow[] {
  const hours = new Map<string, { name: string; occurredAt: Date; count: number }>()
  for (const { name, occurredAt } of events) {
    const key = `${name} ${hourOf(occurredAt)}`
    const hour = hours.get(key)
    if (hour) hour.count++
    else hours.set(key, { name, occurredAt, count: 1 })
  }
  const rows = new Map<string, CountRow>()
  for (const { name, occurredAt, count } of hours.values()) {
    for (const span of SPANS) {
      const start = startOf(span, occurredAt)
      const key = `${name} ${span} ${start.getTime()}`
      const row = rows.get(key)
      if (row) row.count += count
      else rows.set(key, { name, span, start, count })
    }
  }
  return sorted(rows)
}

/** Sums by gateway, token and hour first. */
export function sumPayments(payments: readonly CountedPayment[]): {
  stats: PaymentStatRow[]
  tokens: TokenStatRow[]
} {
  const hours = new Map<string, Figures & { gateway: string; tokenMint: string; at: Date }>()
  for (const { gateway, amount, tokenMint: mint, occurredAt: at } of payments) {
    const tokenMint = mint ?? UNKNOWN_MINT
    const figures = { count: 1, total: amount, min: amount, max: amount }
    addTo(hours, `${gateway} ${tokenMint} ${hourOf(at)}`, figures, { gateway, tokenMint, at })
  }
  const stats = new Map<string, PaymentStatRow>()
  const tokens = new Map<string, TokenStatRow>()
  for (const { gateway: ofPayment, tokenMint, at, ...figures } of hours.values()) {
    for (const gateway of [ofPayment, ALL_GATEWAYS]) {
      for (const span of SPANS) {
        const start = startOf(span, at)
        const key = `${gateway} ${span} ${start.getTime()}`
        const row = stats.get(key)
        if (row) row.count += figures.count
        else stats.set(key, { gateway, span, start, count: figures.count })
        const kept = span === 0 ? { ...figures, min: null, max: null } : figures
        addTo(tokens, `${key} ${tokenMint}`, kept, { gateway, span, start, tokenMint })
      }
    }
  }
  return { stats: sorted(stats), tokens: sorted(tokens) }
}

/** The figures of a token. */
type Figures = Pick<TokenStatRow, 'count' | 'total' | 'min' | 'max'>

/** Adds figures to the row of a group, or starts the row with them. */
function addTo<Group extends object>(
  rows: Map<string, Figures & Group>,
  key: string,
  { count, total, min, max }: Figures,
  group: Group,
): void {
  const row = rows.get(key)
  if (!row) {
    rows.set(key, { ...group, count, total, min, max })
    return
  }
  row.count += count
  row.total += total
  if (min !== null && row.min !== null && min < row.min) row.min = min
  if (max !== null && row.max !== null && max > row.max) row.max = max
}

const hourOf = (at: Date): number => Math.floor(at.getTime() / 3_600_000)

const sorted = <T>(rows: Map<string, T>): T[] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
