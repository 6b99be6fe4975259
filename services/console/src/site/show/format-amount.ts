/**
 * An amount in whole tokens: `1234567` with 6 decimals is `1.234567`. Exact, because it never becomes a double.
 * @param raw a whole number of the token's smallest unit
 */
export function formatAmount(raw: string | number | bigint, decimals: number): string {
  const amount = BigInt(raw)
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString('en-US')
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '')
  const sign = amount < 0n ? '-' : ''
  if (fraction === '') return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.00`
  return `${sign}${whole}.${fraction.padEnd(2, '0')}`
}
