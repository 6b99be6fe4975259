// What a gateway's customers owe, as all cards ask for it and count it.
import type { Schemas } from '@payment-tracking/client'

export type Upcoming = Schemas['Upcoming']

const DAY_MS = 86_400_000

/** A span of time for `merchant/upcoming`. @param fromDays counted from now; null since ever */
export const dueSpan = (fromDays: number | null, toDays: number) => ({
  startTime: new Date(fromDays === null ? 0 : Date.now() + fromDays * DAY_MS).toISOString(),
  endTime: new Date(Date.now() + toDays * DAY_MS).toISOString(),
})

/** Due and not paid: since ever, up to now. A payment is owed until it comes. */
export const notPaidSpan = () => dueSpan(null, 0)

/** How many of them are overdue. */
export const overdueOf = ({ byToken }: Upcoming): number =>
  byToken.reduce((sum, { overdueCount }) => sum + Number(overdueCount), 0)

/** How many of them will fail as things stand. */
export const atRiskOf = ({ byToken, itemsComplete }: Upcoming) => ({
  count: byToken.reduce((sum, { atRiskCount }) => sum + Number(atRiskCount), 0),
  isAtLeast: !itemsComplete,
})

export const payments = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'payment' : 'payments'}`
