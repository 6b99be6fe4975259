/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\0]/
const TO_QUOTE = /[",\r\n]/

/** A field by RFC 4180. A text that a spreadsheet would run gets a `'` before it; null is nothing. */
function csvField(value: string | number | bigint | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return value.toString()
  const safe = FORMULA.test(value) ? `'${value}` : value
  return TO_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of CSV by RFC 4180, with its line break. */
export const csvLine = (fields: readonly (string | number | bigint | boolean | null)[]): string =>
  `${fields.map(csvField).join(',')}\r\n`
