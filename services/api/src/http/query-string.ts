/** The received query: each name with its values. Null stands for a value that is not percent-encoded UTF-8. */
export type SentQuery = Record<string, (string | null)[]>

function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Splits a query string and keeps repeated, empty and broken parameters for later checks. */
export function parseQueryString(text: string): SentQuery {
  const query = Object.create(null) as SentQuery
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decode(at < 0 ? part : part.slice(0, at)) ?? part
    const values = (query[name] ??= [])
    values.push(at < 0 ? '' : decode(part.slice(at + 1)))
  }
  return query
}

/** How many parameters were sent: known or unknown, empty or not. */
export const countSent = (query: SentQuery): number =>
  Object.values(query).reduce((count, values) => count + values.length, 0)

/** Whether a parameter was given; an empty parameter counts as absent. */
export const isGiven = (query: SentQuery, name: string): boolean =>
  query[name]?.some(value => value !== '') ?? false
