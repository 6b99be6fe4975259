import { LAST_SECOND, SECONDS_PER_DAY, daysInMonth, toEpochDays } from './civil-date.js'

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/**
 * Milliseconds since the epoch of an RFC 3339 date-time, with any offset; finer fractions are cut off.
 * The chain's clock is Unix time, so there is no leap second to accept.
 * @returns undefined when the text is none, names a day or time that does not exist, or lies outside 1970–9999
 */
export function readTimestamp(text: string): number | undefined {
  const parts = RFC_3339.exec(text)
  if (parts === null) return undefined
  const at = (group: number): number => Number(parts[group] ?? 0)
  const [year, month, day, hour, minute, second] = [at(1), at(2), at(3), at(4), at(5), at(6)]
  const [offsetHours, offsetMinutes] = [at(9), at(10)]
  if (day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined

  const offset = (offsetHours * 60 + offsetMinutes) * (parts[8] === '-' ? -60 : 60)
  const local = toEpochDays({ year, month, day }) * SECONDS_PER_DAY + (hour * 60 + minute) * 60 + second
  const seconds = local - offset
  if (seconds < 0 || seconds > LAST_SECOND) return undefined
  return seconds * 1000 + Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'))
}
