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

/** Groups of three digits behind one to three, all with the same mark: `1,234,567`. */
const GROUPED = /^[1-9]\d{0,2}(?:([.,\s'’_])\d{3})(?:\1\d{3})*$/

/**
 * Where the decimal mark of an amount is: its last point or comma, unless the marks divide groups of three digits. A single
 * group behind a comma is thousands, as this console writes them; behind a point it is a fraction.
 * @returns the length of the amount where all of it is whole
 */
function findDecimalMark(text: string): number {
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const isSinglePoint = text[at] === '.' && text.indexOf('.') === at
  return at < 0 || (GROUPED.test(text) && !isSinglePoint) ? text.length : at
}

/**
 * The smallest units of an amount as people write it: with 6 decimals `1,234.5` and `1.234,5` are `1234500000`, and `12,50`
 * is `12500000`.
 * @returns null for what is no amount, or has more digits than the token
 */
export function parseAmount(text: string, decimals: number): string | null {
  const amount = text.trim()
  const at = findDecimalMark(amount)
  const [written, mark, fraction] = [amount.slice(0, at), amount[at], amount.slice(at + 1)]
  const isGrouped = GROUPED.test(written) && (mark === undefined || !written.includes(mark))
  const whole = isGrouped ? written.replaceAll(/\D/g, '') : written
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction) || fraction.length > decimals) return null
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return units < 2n ** 64n ? units.toString() : null
}
