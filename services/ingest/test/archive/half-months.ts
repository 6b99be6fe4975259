// Finds the months of which lists show only a part of the events.
import { listEvents } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'

/** For each month, the ids of its events in lists. */
export type Months = ReadonlyMap<string, ReadonlySet<string>>

export async function listMonths(store: Store): Promise<Months> {
  const months = new Map<string, Set<string>>()
  const events = await listEvents(store, { retracted: true }, { limit: 100_000, offset: 0 })
  for (const { id, timestamp } of events) {
    const month = timestamp.slice(0, 7)
    months.set(month, (months.get(month) ?? new Set()).add(id))
  }
  return months
}

/** @param wereThere the events of each month before any of them moved */
export function halvesOf(now: Months, wereThere: Months): string[] {
  return [...wereThere].flatMap(([month, all]) => {
    const left = [...all].filter(id => now.get(month)?.has(id)).length
    return left === 0 || left === all.size ? [] : [`${month}: ${left} of ${all.size} events`]
  })
}

export const findHalfMonths = async (store: Store, wereThere: Months): Promise<string[]> =>
  halvesOf(await listMonths(store), wereThere)
