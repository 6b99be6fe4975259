import { ExactNumber, readExactJson, RawJson } from '@payment-tracking/domain'
import type { ApiServer } from '../api-server.js'
import { ApiError } from '../http/api-errors.js'

const MAX_DEPTH = 16

/** `JSON.parse` would round an amount beyond 2^53, and take 10.0 for 10: here an amount that is a number becomes its text. */
export function parseExactAmounts(scope: ApiServer): void {
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined)
    try {
      done(null, withTextAmount(readExactJson(text as string, MAX_DEPTH).value))
    } catch {
      done(new ApiError('INVALID_BODY', 'The request body is not valid JSON.'))
    }
  })
}

function withTextAmount(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return relaxed(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, of]: [string, unknown]) => [
      name,
      name !== 'amount'
        ? relaxed(of)
        : of instanceof RawJson
          ? of.text
          : typeof of === 'number'
            ? String(of)
            : of,
    ]),
  )
}

/** No other field is a number. */
const relaxed = (value: unknown): unknown => (value instanceof ExactNumber ? Number(value.text) : value)
