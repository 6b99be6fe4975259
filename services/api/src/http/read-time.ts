import { ApiError } from './api-errors.js'
import { parseTime } from './formats.js'

/**
 * A time in a body.
 * @param round `up`: the time is an inclusive end, and a date without a time means until the end of that day
 * @throws ApiError INVALID_BODY
 */
export function readTime(field: string, text: string, round: 'up' | 'down'): Date {
  const time = parseTime(text, round, round === 'up' ? 'last' : 'first')
  if (time === null)
    throw new ApiError(
      'INVALID_BODY',
      `Field ${field} must be an ISO 8601 date or date-time, such as 2026-01-31T12:00:00Z.`,
    )
  return time
}
