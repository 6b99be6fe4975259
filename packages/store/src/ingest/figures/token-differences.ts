// How figures of tokens as they must be, `c`, differ from stored ones, `s`.
import type { Span, TokenStatRow } from '@payment-tracking/domain'
import { sql } from '../../core/database/sql.js'
import type { Differences } from './figures.js'

export interface TokenDifference {
  gateway: string
  span: Span
  start: Date
  tokenMint: string
  count: bigint
  total: string
  /** the stored extremes are right */
  keepsExtremes: boolean
}

export const DIFFERENCE = sql`
  (coalesce(c.count, 0) - coalesce(s.count, 0))::bigint as count, (coalesce(c.total, 0) - coalesce(s.total, 0))::text as total,
  coalesce((c.min, c.max) = (s.min, s.max), false) as "keepsExtremes"`

/** Stored extremes that are lost are not wrong: work finds them. */
export const isWrong = sql`
  ((c.count, c.total) is distinct from (s.count, s.total)
   or (s.min is not null and (c.min, c.max) is distinct from (s.min, s.max)))`

/** Rows to add: wrong extremes are lost. */
export function toTokens(rows: readonly TokenDifference[]): Pick<Differences, 'tokens' | 'totals'> {
  const toRow = ({ keepsExtremes: _, count, total, ...row }: TokenDifference): TokenStatRow => ({
    ...row,
    count: Number(count),
    total: BigInt(total),
    min: null,
    max: null,
  })
  const [tokens, totals] = [false, true].map(keeps =>
    rows.filter(({ keepsExtremes }) => keepsExtremes === keeps).map(toRow),
  )
  return { tokens: tokens!, totals: totals! }
}
