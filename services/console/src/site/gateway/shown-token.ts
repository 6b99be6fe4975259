import { useTokens } from '../api/tokens.js'

/** How a token's amounts are written and drawn. */
export interface ShownToken {
  symbol: string
  decimals: number
}

export function useShownToken(mint: string | null, decimals: number | bigint | null = null): ShownToken {
  const known = useTokens().get(mint ?? '')
  return known ?? { symbol: decimals === null ? 'raw' : '', decimals: Number(decimals ?? 0) }
}
