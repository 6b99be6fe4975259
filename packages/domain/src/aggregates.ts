// Counts and sums that answer without scanning: by name, by gateway, by token, each for all time, by day and
// by hour of the event's timestamp. All of them add up, so a batch contributes one row a group.

/** Seconds a row covers; 0 covers all time. */
export const SPANS = [0, 86_400, 3_600] as const
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
  total: bigint
  min: bigint
  max: bigint
  firstAt: Date
  lastAt: Date
}

export interface TokenStatRow {
  gateway: string
  span: Span
  start: Date
  tokenMint: string
  count: number
  total: bigint
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

export function countByName(events: readonly { name: string; occurredAt: Date }[]): CountRow[] {
  const rows = new Map<string, CountRow>()
  for (const { name, occurredAt } of events) {
    for (const span of SPANS) {
      const start = startOf(span, occurredAt)
      const key = `${name} ${span} ${start.getTime()}`
      const row = rows.get(key)
      if (row) row.count++
      else rows.set(key, { name, span, start, count: 1 })
    }
  }
  return sorted(rows)
}

export function sumPayments(payments: readonly CountedPayment[]): {
  stats: PaymentStatRow[]
  tokens: TokenStatRow[]
} {
  const stats = new Map<string, PaymentStatRow>()
  const tokens = new Map<string, TokenStatRow>()
  for (const payment of payments) {
    for (const gateway of [payment.gateway, ALL_GATEWAYS]) {
      for (const span of SPANS) {
        const start = startOf(span, payment.occurredAt)
        addStat(stats, `${gateway} ${span} ${start.getTime()}`, { gateway, span, start }, payment)
        const tokenMint = payment.tokenMint ?? UNKNOWN_MINT
        const key = `${gateway} ${span} ${start.getTime()} ${tokenMint}`
        const row = tokens.get(key)
        if (row) {
          row.count++
          row.total += payment.amount
        } else tokens.set(key, { gateway, span, start, tokenMint, count: 1, total: payment.amount })
      }
    }
  }
  return { stats: sorted(stats), tokens: sorted(tokens) }
}

function addStat(
  stats: Map<string, PaymentStatRow>,
  key: string,
  group: { gateway: string; span: Span; start: Date },
  { amount, occurredAt }: CountedPayment,
): void {
  const row = stats.get(key)
  if (!row) {
    stats.set(key, {
      ...group,
      count: 1,
      total: amount,
      min: amount,
      max: amount,
      firstAt: occurredAt,
      lastAt: occurredAt,
    })
    return
  }
  row.count++
  row.total += amount
  if (amount < row.min) row.min = amount
  if (amount > row.max) row.max = amount
  if (occurredAt < row.firstAt) row.firstAt = occurredAt
  if (occurredAt > row.lastAt) row.lastAt = occurredAt
}

const sorted = <T>(rows: Map<string, T>): T[] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
