const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** From here on a date says more than a number of days. */
const LONGEST_RELATIVE = 30 * DAY
/** Made once: to make one for each row takes longer than to draw the row. */
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** Of 24 hours, as charts have it. */
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'long' })

/** A moment that comes: `now`, `14:05` today, `on Monday 09:12` within a week, else with its date. */
export function comingTime(at: number, now: number): string {
  if (at <= now) return 'now'
  const clock = CLOCK.format(at)
  if (new Date(at).toDateString() === new Date(now).toDateString()) return clock
  return at - now < 6 * DAY ? `on ${WEEKDAY.format(at)} ${clock}` : `on ${DATE.format(at)} ${clock}`
}

/** A moment that has passed: `17:50` today, else with its date. */
export function pastTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? CLOCK.format(at) : `${DATE.format(at)} ${CLOCK.format(at)}`
}

/** Whether a relative time says more than the date. */
export const isNear = (at: number, now: number): boolean => Math.abs(now - at) < LONGEST_RELATIVE

/** `3 min ago`, `in 2 days`; a date beyond a month. All in milliseconds. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (!isNear(at, now)) return DATE.format(at)
  if (distance < 5 * SECOND) return 'just now'
  const count = (unit: number) => Math.floor(distance / unit)
  const days = count(DAY)
  const text =
    distance < MINUTE
      ? `${count(SECOND)} s`
      : distance < HOUR
        ? `${count(MINUTE)} min`
        : distance < DAY
          ? `${count(HOUR)} h`
          : `${days} ${days === 1 ? 'day' : 'days'}`
  return at > now ? `in ${text}` : `${text} ago`
}

/** How long something took: `14 ms`, `1.2 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '−' : ''
  const length = Math.abs(Math.round(ms))
  const pair = (unit: number, name: string, smaller: number, smallerName: string) => {
    const rest = Math.floor((length % unit) / smaller)
    return `${Math.floor(length / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${smallerName}`}`
  }
  const text =
    length < SECOND
      ? `${length} ms`
      : length < 10 * SECOND
        ? `${(length / SECOND).toFixed(1)} s`
        : length < MINUTE
          ? `${Math.round(length / SECOND)} s`
          : length < HOUR
            ? pair(MINUTE, 'min', SECOND, 's')
            : length < DAY
              ? pair(HOUR, 'h', MINUTE, 'min')
              : pair(DAY, 'd', HOUR, 'h')
  return `${sign}${text}`
}
