import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, type ReactNode } from 'react'
import { apiOf, ask } from './request.js'

export interface Token {
  symbol: string
  decimals: number
}

type Answer = readonly { tokenMint: string; symbol: string; decimals: number | bigint }[]
type Tokens = ReadonlyMap<string, Token>

const NONE: Tokens = new Map()
const COMING: Tokens = new Map()
const Context = createContext(COMING)

const byMint = (tokens: Answer): Tokens =>
  new Map(
    tokens.map(({ tokenMint, symbol, decimals }) => [tokenMint, { symbol, decimals: Number(decimals) }]),
  )

/** Asks once for all amounts of the page: a question for each took a third of the time in which a list is drawn. */
export function TokensProvider({ children }: { children: ReactNode }) {
  const { data, isError } = useQuery({
    queryKey: ['tokens'],
    queryFn: () => ask(apiOf().GET('/v1/token-mints', {})),
    staleTime: Infinity,
    select: byMint,
  })
  return <Context.Provider value={data ?? (isError ? NONE : COMING)}>{children}</Context.Provider>
}

/** The tokens that the service can name, by mint; empty until they are known. */
export const useTokens = (): Tokens => useContext(Context)

/** Whether they are on their way: an amount in the smallest unit would be read as one in units. */
export const useTokensAreComing = (): boolean => useTokens() === COMING
