import { parse } from 'lossless-json'

/** An integer that a double cannot hold becomes a bigint; every other number is a number. */
const readNumber = (digits: string): number | bigint => {
  const number = Number(digits)
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number
}

/** The fewest digits of an integer that a double cannot hold. Most answers hold none, and a signature seldom does. */
const MANY_DIGITS = /\d{16}/

/**
 * Parses JSON without rounding integers, which `JSON.parse` does beyond 2⁵³. Where it cannot round, it is taken: it needs a
 * fraction of the time.
 */
export const parseExact = (text: string): unknown =>
  MANY_DIGITS.test(text) ? parse(text, undefined, readNumber) : JSON.parse(text)

/** `fetch` whose JSON keeps every digit. @param send default: the platform's `fetch` */
export async function exactFetch(request: Request, send: typeof fetch = fetch): Promise<Response> {
  const response = await send(request)
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  if (!isJson || response.status === 204 || response.status === 304) return response
  const text = await response.text()
  const headers = new Headers(response.headers)
  // The body is complete and decoded here. The length makes openapi-fetch call `json`.
  headers.delete('content-encoding')
  headers.set('content-length', String(new TextEncoder().encode(text).length))
  const { status, statusText } = response
  const exact = new Response(text, { status, statusText, headers })
  exact.json = () => Promise.resolve(parseExact(text))
  return exact
}
