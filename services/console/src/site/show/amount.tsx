import { useTokens, type Token } from '../api/tokens.js'
import { amountParts } from './format-amount.js'

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
  if (raw === null) return <span className="quiet">none</span>
  const { whole, fraction } = amountParts(raw, token?.decimals ?? 0)
  const unit = token ? token.symbol : mint ? `of ${mint.slice(0, 4)}…` : 'raw'
  return (
    <span className="amount" title={`${String(raw)} of the smallest unit`}>
      <span>{whole}</span>
      <span className="fraction">{fraction}</span> <span className="symbol">{unit}</span>
    </span>
  )
}

/** How wide the part behind the point is in a column of these amounts, as a CSS length. */
export function fractionWidth(amounts: readonly ShownAmount[], tokens: ReadonlyMap<string, Token>): string {
  const widths = amounts.map(({ raw, mint }) => {
    const token = tokens.get(mint ?? '')
    return raw === null || !token ? 0 : amountParts(raw, token.decimals).fraction.length
  })
  const digits = Math.max(0, ...widths)
  // The point is narrower than a digit.
  return digits === 0 ? '0' : `${digits - 0.5}ch`
}
