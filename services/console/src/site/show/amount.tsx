import { useTokens, useTokensAreComing, type Token } from '../api/tokens.js'
import { amountParts } from './format-amount.js'
import { Bar } from './states.js'

export interface ShownAmount {
  raw: string | number | bigint | null
  mint?: string | null | undefined
}

/**
 * With symbol and decimals where the service knows the token. The number in the smallest unit, which the chain holds, is
 * its title; an unknown token shows that number itself.
 */
export function Amount({ raw, mint }: ShownAmount) {
  const token = useTokens().get(mint ?? '')
  const isComing = useTokensAreComing()
  if (raw === null) return <span className="quiet">none</span>
  if (isComing) return <Bar />
  const { whole, fraction } = amountParts(raw, token?.decimals ?? 0)
  const unit = unitOf(token, mint)
  return (
    <span className="amount" title={`${String(raw)} of the smallest unit`}>
      <span>{whole}</span>
      <span className="fraction">{fraction}</span> <span className="symbol">{unit}</span>
    </span>
  )
}

const unitOf = (token: Token | undefined, mint: ShownAmount['mint']): string =>
  token ? token.symbol : mint ? `of ${mint.slice(0, 4)}…` : 'raw'

/** How wide the parts of amounts are that stand in one column, as CSS lengths. */
export interface AmountWidths {
  fraction: string
  symbol: string
}

/** The widest of these amounts. */
export function amountWidths(
  amounts: readonly ShownAmount[],
  tokens: ReadonlyMap<string, Token>,
): AmountWidths {
  const parts = amounts.map(({ raw, mint }) => {
    const token = tokens.get(mint ?? '')
    const digits = raw === null || !token ? 0 : amountParts(raw, token.decimals).fraction.length
    return { digits, letters: unitOf(token, mint).length }
  })
  const digits = Math.max(0, ...parts.map(each => each.digits))
  const letters = Math.max(0, ...parts.map(each => each.letters))
  // The point is narrower than a digit, and a capital is wider.
  return { fraction: digits === 0 ? '0' : `${digits - 0.5}ch`, symbol: `${(letters * 1.15).toFixed(1)}ch` }
}
