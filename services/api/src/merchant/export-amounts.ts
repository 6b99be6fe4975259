// Amounts of a file as people read them, behind the columns that are there already.
import { decimalAmount, type Tokens } from '@payment-tracking/domain'

/** A file, a part at a time. */
export type Lines = AsyncGenerator<string>

/** Names of the columns of `writtenAmounts`. */
export const writtenColumns = (...amounts: readonly string[]): string[] => [
  ...amounts.map(name => `${name}Decimal`),
  'symbol',
]

/** Amounts in units of their token, with its symbol; all empty where the service cannot name the token. */
export function writtenAmounts(
  tokens: Tokens,
  mint: string | null,
  ...amounts: readonly (bigint | string | null)[]
): (string | null)[] {
  const token = tokens.get(mint ?? '')
  if (!token) return [...amounts.map(() => null), null]
  return [
    ...amounts.map(amount => {
      if (amount === null) return null
      const raw = BigInt(amount)
      // A figure can be negative, as what was lost.
      return raw < 0n ? `-${decimalAmount(-raw, token.decimals)}` : decimalAmount(raw, token.decimals)
    }),
    token.symbol,
  ]
}
