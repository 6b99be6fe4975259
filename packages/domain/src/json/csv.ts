/**
 * Where a spreadsheet would begin a formula: at the beginning of a text, and where some spreadsheets begin a cell inside it.
 * In many countries they separate cells by semicolons, and then no quote inside a line protects it. Signs of full width
 * count where people write with them.
 */
const FORMULA = /^(?=[=+\-@＝＋－＠\t\r\n\0])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g
const TO_QUOTE = /[",\r\n]/

/** A field by RFC 4180. What a spreadsheet would run gets a `'` before it; null is nothing. */
function csvField(value: string | number | bigint | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return value.toString()
  const safe = value.replace(FORMULA, "'")
  return TO_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of CSV by RFC 4180, with its line break. */
export const csvLine = (fields: readonly (string | number | bigint | boolean | null)[]): string =>
  `${fields.map(csvField).join(',')}\r\n`
