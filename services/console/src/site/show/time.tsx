import { comingTime, isNear, relativeTime } from './format-time.js'
import { useNow } from './now.js'

type Given = string | number | bigint | null | undefined

const dateOf = (at: string | number | bigint): Date =>
  typeof at === 'string' ? new Date(at) : new Date(Number(at) * 1_000)

/** How long ago, or in how long; the exact time in UTC is its title. @param at ISO text or Unix seconds */
export function Time({ at }: { at: Given }) {
  const now = useNow()
  if (at === null || at === undefined) return <span className="quiet">unknown</span>
  const date = dateOf(at)
  return <Stamp date={date}>{relativeTime(date.getTime(), now)}</Stamp>
}

/** The date and time of the reader's place, with how long ago. @param at ISO text or Unix seconds */
export function ExactTime({ at }: { at: Given }) {
  const now = useNow()
  if (at === null || at === undefined) return <span className="quiet">unknown</span>
  const date = dateOf(at)
  return (
    <>
      <Stamp date={date}>
        {date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })}
      </Stamp>{' '}
      {isNear(date.getTime(), now) && <span className="quiet">{relativeTime(date.getTime(), now)}</span>}
    </>
  )
}

/** The date and time of the reader's place. @param at ISO text */
export const DateTime = ({ at }: { at: string }) => (
  <Stamp date={dateOf(at)}>
    {dateOf(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })}
  </Stamp>
)

/** Of the reader's place, such as `Europe/Berlin`: all times of the pages are in it, but for days that are named as those of UTC. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A moment that comes, at the clock of the reader's place. @param at ISO text */
export function Moment({ at }: { at: string }) {
  const now = useNow()
  const date = dateOf(at)
  return <Stamp date={date}>{comingTime(date.getTime(), now)}</Stamp>
}

function Stamp({ date, children }: { date: Date; children: string }) {
  const iso = date.toISOString()
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {children}
    </time>
  )
}
