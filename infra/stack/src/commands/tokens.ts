// Tokens that the local commands can name by their symbol.
import { isPublicKey } from '@payment-tracking/domain'

/** The token that the local commands pay in unless told otherwise. */
export const USDC = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 }

/** Hundredths of USDC to its smallest unit. */
export const CENT = 10n ** BigInt(USDC.decimals - 2)

/** What the API shows amounts by where TOKENS is not set. */
const HOUSE_TOKENS = `${USDC.mint}=${USDC.symbol}:${USDC.decimals},Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB=USDT:6,So11111111111111111111111111111111111111112=SOL:9`

/** Symbols to mints, by the setting TOKENS: `mint=symbol:decimals`, comma separated. */
const mintsBySymbol = (env: NodeJS.ProcessEnv): Map<string, string> =>
  new Map(
    (env.TOKENS ?? HOUSE_TOKENS).split(',').flatMap(entry => {
      const [, mint, symbol] = /^([^=]+)=([^:]+):\d+$/.exec(entry.trim()) ?? []
      return mint && symbol ? [[symbol, mint] as const] : []
    }),
  )

/**
 * @param named a mint, or the symbol of a token in TOKENS
 * @returns the mint; undefined when it is neither
 */
export const findMint = (named: string, env: NodeJS.ProcessEnv): string | undefined =>
  mintsBySymbol(env).get(named) ?? (isPublicKey(named) ? named : undefined)

/** The symbols that `findMint` knows, for messages. */
export const listSymbols = (env: NodeJS.ProcessEnv): string => [...mintsBySymbol(env).keys()].join(', ')
