import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from './request.js'

export interface Token {
  symbol: string
  decimals: number
}

/** The tokens that the service can name, by mint; empty until they are known. */
export function useTokens(): ReadonlyMap<string, Token> {
  const { data } = useQuery({
    queryKey: ['tokens'],
    queryFn: () => ask(apiOf().GET('/v1/token-mints', {})),
    staleTime: Infinity,
  })
  return new Map(
    data?.map(({ tokenMint, symbol, decimals }) => [tokenMint, { symbol, decimals: Number(decimals) }]),
  )
}
