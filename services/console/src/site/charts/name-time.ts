/** The name of a day in UTC. @param seconds Unix seconds of its beginning */
export const nameDay = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** The name of an hour at the reader's place. @param seconds Unix seconds of its beginning */
export const nameHour = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleString(undefined, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })

/** The beginning of a day in UTC, Unix seconds. @param day such as `2026-11-14` */
export const dayStart = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000
