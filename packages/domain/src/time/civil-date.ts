// The proleptic Gregorian calendar in UTC, by arithmetic alone. `Date` treats years 0 to 99 as 1900 to 1999 and accepts
// 30 February, and a rule about money must do neither.

export interface CivilDate {
  year: number
  /** 1 to 12 */
  month: number
  /** 1 to the month's length */
  day: number
}

export const SECONDS_PER_DAY = 86_400
/** 9999-12-31T23:59:59Z, Unix seconds */
export const LAST_SECOND = 253_402_300_799

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** @param month 1 to 12; any other month has no days */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0)
}

/** Days of an era of 400 years. Years begin in March here, so that the leap day is the last day of a year. */
const DAYS_PER_ERA = 146_097
const EPOCH_DAYS = 719_468

/** Days since 1970-01-01. */
export function toEpochDays({ year, month, day }: CivilDate): number {
  const marchYear = month > 2 ? year : year - 1
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * DAYS_PER_ERA + dayOfEra - EPOCH_DAYS
}

/** The date of a number of days since 1970-01-01. */
export function fromEpochDays(days: number): CivilDate {
  const shifted = days + EPOCH_DAYS
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}
