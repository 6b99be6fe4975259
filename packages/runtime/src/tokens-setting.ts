import { Type } from 'typebox'

/** USDC, USDT and wrapped SOL of mainnet. */
export const DEFAULT_TOKENS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v=USDC:6',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB=USDT:6',
  'So11111111111111111111111111111111111111112=SOL:9',
].join(',')

const TOKEN = '[1-9A-HJ-NP-Za-km-z]{32,44}=[^,:=\\s]{1,20}:(?:[0-9]|[1-2][0-9])'
/** Entries as `mint=symbol:decimals`, comma separated; empty text means no tokens. */
const TOKENS_PATTERN = `^(?:${TOKEN}(?:,${TOKEN})*)?$`

/** What the services that show amounts to people share; `readTokens` of `domain` reads it. */
export const TokensConfig = {
  TOKENS: Type.String({
    default: DEFAULT_TOKENS,
    pattern: TOKENS_PATTERN,
    description: 'how amounts are shown: mint=symbol:decimals, comma separated',
  }),
}
