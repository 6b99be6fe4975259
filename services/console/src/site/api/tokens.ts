import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from './request.js'

export interface Token {
  symbol: string
  decimals: number
}

type Answer = readonly { tokenMint: string; symbol: string; decimals: number | bigint }[]

const NONE: ReadonlyMap<string, Token> = new Map()
/** Outside of the hook, so that the map is made once for an answer and not for each amount on the page. */
const byMint = (tokens: Answer): ReadonlyMap<string, Token> =>
  new Map(
    tokens.map(({ tokenMint, symbol, decimals }) => [tokenMint, { symbol, decimals: Number(decimals) }]),
  )

/** The tokens that the service can name, by mint; empty until they are known. */
export function useTokens(): ReadonlyMap<string, Token> {
  const { data } = useQuery({
    queryKey: ['tokens'],
    queryFn: () => ask(apiOf().GET('/v1/token-mints', {})),
    staleTime: Infinity,
    select: byMint,
  })
  return data ?? NONE
}
