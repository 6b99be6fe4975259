import { ExactTime } from '../show/values.js'
import { dueDatesUntil } from './due-dates.js'
import { termsOf, type Subscription } from './policy-terms.js'

const DAY = 86_400
/** Long enough for the next date of a yearly policy. */
const DAYS = 366
/** As many months as stand in one row on a desk. */
const MOST_SHOWN = 4
/** A week, from Monday on: 5 January 1970 was one. */
const WEEK = Array.from({ length: 7 }, (_, day) => new Date(1970, 0, 5 + day))

/** The next due dates as months with marked days; the dates stand below as text. */
export function CalendarStrip({ subscription }: { subscription: Subscription }) {
  const { nextDue } = termsOf(subscription)
  if (nextDue === null || subscription.status !== 'active')
    return <p className="quiet">No payment is due: it is {subscription.status}.</p>
  const fields = Object.values(subscription.policyType)[0] as Record<string, unknown>
  const left =
    typeof fields.maxRenewals === 'number'
      ? Math.max(0, fields.maxRenewals - Number(subscription.paymentCount))
      : Infinity
  const frequency = (fields.paymentFrequency ?? {}) as Record<string, unknown>
  const dates = dueDatesUntil(nextDue, frequency, Math.max(nextDue, Date.now() / 1_000 + DAYS * DAY), left)
  const shown = dates.slice(0, MOST_SHOWN)
  return (
    <>
      <div className="months" aria-hidden="true">
        {[...new Map(shown.map(due => [monthKey(due), due])).values()].map(due => (
          <Month key={monthKey(due)} of={due} dates={dates} />
        ))}
      </div>
      <ol className="dates">
        {shown.map(due => (
          <li key={due}>
            <ExactTime at={due} />
          </li>
        ))}
      </ol>
      {dates.length > shown.length && <p className="quiet">and so on</p>}
    </>
  )
}

const monthKey = (seconds: number): string => {
  const date = new Date(seconds * 1_000)
  return `${date.getFullYear()}-${date.getMonth()}`
}

function Month({ of, dates }: { of: number; dates: readonly number[] }) {
  const date = new Date(of * 1_000)
  const [year, month] = [date.getFullYear(), date.getMonth()]
  const days = new Date(year, month + 1, 0).getDate()
  const before = (new Date(year, month, 1).getDay() + 6) % 7
  const due = new Set(
    dates.filter(each => monthKey(each) === monthKey(of)).map(each => new Date(each * 1_000).getDate()),
  )
  return (
    <div className="month">
      <strong>{date.toLocaleDateString(undefined, { month: 'long', year: 'numeric' })}</strong>
      <div className="days">
        {WEEK.map(day => (
          <span key={String(day)} className="quiet">
            {day.toLocaleDateString(undefined, { weekday: 'narrow' })}
          </span>
        ))}
        {Array.from({ length: before }, (_, index) => (
          <span key={`before ${index}`} />
        ))}
        {Array.from({ length: days }, (_, index) => index + 1).map(day => (
          <span key={day} className={due.has(day) ? 'due' : undefined}>
            {day}
          </span>
        ))}
      </div>
    </div>
  )
}
