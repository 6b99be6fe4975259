/** An amount in whole tokens, cut at its point. */
export interface AmountParts {
  whole: string
  /** with the point; empty for a token without decimals */
  fraction: string
}

/**
 * An amount in whole tokens: `1234567` with 6 decimals is `1` and `.234567`. Exact, because it never becomes a double.
 * @param raw a whole number of the token's smallest unit
 */
export function amountParts(raw: string | number | bigint, decimals: number): AmountParts {
  const amount = BigInt(raw)
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString('en-US')
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0')}`
  return { whole: `${amount < 0n ? '-' : ''}${whole}`, fraction }
}

export function formatAmount(raw: string | number | bigint, decimals: number): string {
  const { whole, fraction } = amountParts(raw, decimals)
  return whole + fraction
}

/** For a drawing alone: whole tokens as a double, which cannot hold every digit. */
export const drawnAmount = (raw: string | number | bigint, decimals: number): number =>
  Number(BigInt(raw)) / 10 ** decimals

/**
 * The smallest units of an amount as people write it: `1,234.5` with 6 decimals is `1234500000`.
 * @returns null for what is no amount, or has more digits than the token
 */
export function parseAmount(text: string, decimals: number): string | null {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d*))?$/.exec(text.replaceAll(/[\s,_]/g, '')) ?? []
  if (whole === '' || fraction.length > decimals) return null
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return units < 2n ** 64n ? units.toString() : null
}
