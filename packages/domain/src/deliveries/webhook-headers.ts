// Headers that a gateway adds to the requests of its webhook.

export const WEBHOOK_HEADERS_MAX = 10
const VALUE_MAX_LENGTH = 1_000
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Visible ASCII, with spaces and tabs inside (RFC 9110, 5.5). */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** The service or its connection sets these, and a second value could split or misdirect the request. */
const RESERVED =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|via|user-agent|accept|accept-encoding|traceparent|tracestate|forwarded|x-forwarded-.*|x-real-ip|content-.*|proxy-.*|sec-.*|webhook-.*)$/

/** @returns why the headers are refused; null when they are in order */
export function findHeaderProblem(headers: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(headers)
  if (names.length > WEBHOOK_HEADERS_MAX) return `must have at most ${WEBHOOK_HEADERS_MAX} headers`
  if (new Set(names.map(name => name.toLowerCase())).size < names.length) return 'must name each header once'
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) return 'must have names of letters, digits and dashes'
    if (RESERVED.test(name.toLowerCase())) return `must not set ${name.toLowerCase()}`
    if (value.length > VALUE_MAX_LENGTH || !VALUE.test(value))
      return `must have values of 1 to ${VALUE_MAX_LENGTH} visible ASCII characters`
  }
  return null
}
