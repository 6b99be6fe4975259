// The tokens that an operator names by the setting TOKENS, so that people read amounts.

/** How amounts of a token are shown. */
export interface ShownToken {
  symbol: string
  decimals: number
}

/** By mint. */
export type Tokens = ReadonlyMap<string, ShownToken>

/** @param text of the setting TOKENS: `mint=symbol:decimals`, comma separated; empty is none */
export function readTokens(text: string): Tokens {
  const tokens = new Map<string, ShownToken>()
  for (const entry of text.split(',').filter(Boolean)) {
    const [mint = '', shown = ''] = entry.split('=')
    const [symbol = '', decimals = ''] = shown.split(':')
    tokens.set(mint, { symbol, decimals: Number(decimals) })
  }
  return tokens
}
