import type { ShownToken } from '@payment-tracking/store'

/** By mint. */
export type Tokens = ReadonlyMap<string, ShownToken>

/** USDC, USDT and wrapped SOL of mainnet. */
export const DEFAULT_TOKENS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v=USDC:6',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB=USDT:6',
  'So11111111111111111111111111111111111111112=SOL:9',
].join(',')

const TOKEN = '[1-9A-HJ-NP-Za-km-z]{32,44}=[^,:=\\s]{1,20}:(?:[0-9]|[1-2][0-9])'
/** Entries as `mint=symbol:decimals`, comma separated; empty text means no tokens. */
export const TOKENS_PATTERN = `^(?:${TOKEN}(?:,${TOKEN})*)?$`

/** @param text matches `TOKENS_PATTERN` */
export function readTokens(text: string): Tokens {
  const tokens = new Map<string, ShownToken>()
  for (const entry of text.split(',').filter(Boolean)) {
    const [mint = '', shown = ''] = entry.split('=')
    const [symbol = '', decimals = ''] = shown.split(':')
    tokens.set(mint, { symbol, decimals: Number(decimals) })
  }
  return tokens
}
