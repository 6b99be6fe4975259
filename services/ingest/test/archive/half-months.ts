// Finds the months of which lists show only a part of the events.
import { readEventPage, type EventFilter } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'

/** For each month, the ids of its events in lists. */
export type Months = ReadonlyMap<string, ReadonlySet<string>>

/** The events of a list. */
export async function listAll(
  store: Store,
  filter: EventFilter,
): Promise<{ id: string; timestamp: string }[]> {
  const { text } = await readEventPage(store, filter, { limit: 100_000, offset: 0 }, new Map())
  return JSON.parse(`[${text}]`) as { id: string; timestamp: string }[]
}

export async function listMonths(store: Store): Promise<Months> {
  const months = new Map<string, Set<string>>()
  for (const { id, timestamp } of await listAll(store, { retracted: true })) {
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
