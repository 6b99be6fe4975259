import type { Tokens } from './tokens.js'

/**
 * An amount as people write it, exact: 10000000 with 6 decimals is `10`, 9990000 is `9.99`.
 * @param raw in the token's smallest unit, 0 or more
 * @param decimals of the token
 */
export function decimalAmount(raw: bigint, decimals: number): string {
  const digits = String(raw).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The first and last letters of an address. */
export const shortAddress = (address: string): string =>
  address.length > 12 ? `${address.slice(0, 4)}…${address.slice(-4)}` : address

/** `9.99 USDC`; of a token without a name the number of the chain, which says so. */
export function nameAmount(raw: bigint, mint: string | null, tokens: Tokens): string {
  const token = tokens.get(mint ?? '')
  if (token) return `${decimalAmount(raw, token.decimals)} ${token.symbol}`
  return `${raw} of the smallest unit of ${mint === null ? 'an unknown token' : `token ${shortAddress(mint)}`}`
}
