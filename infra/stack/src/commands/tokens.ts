// Tokens that the local commands can name by their symbol.
import { isPublicKey, readTokens } from '@payment-tracking/domain'
import { DEFAULT_TOKENS } from '@payment-tracking/runtime'

/** The token that the local commands pay in unless told otherwise. */
export const USDC = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 }

/** A second token; it has the decimals of USDC. */
export const USDT_MINT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'

/** Hundredths of USDC to its smallest unit. */
export const CENT = 10n ** BigInt(USDC.decimals - 2)

/** Symbols to mints, by the setting TOKENS. */
const mintsBySymbol = (env: NodeJS.ProcessEnv): Map<string, string> =>
  new Map([...readTokens(env.TOKENS ?? DEFAULT_TOKENS)].map(([mint, { symbol }]) => [symbol, mint]))

/**
 * @param named a mint, or the symbol of a token in TOKENS
 * @returns the mint; undefined when it is neither
 */
export const findMint = (named: string, env: NodeJS.ProcessEnv): string | undefined =>
  mintsBySymbol(env).get(named) ?? (isPublicKey(named) ? named : undefined)

/** The symbols that `findMint` knows, for messages. */
export const listSymbols = (env: NodeJS.ProcessEnv): string => [...mintsBySymbol(env).keys()].join(', ')
