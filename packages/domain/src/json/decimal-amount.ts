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
