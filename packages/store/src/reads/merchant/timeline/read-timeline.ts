// What happened between a gateway and a wallet, newest first.
import type { Store } from '../../../core/database/sql.js'
import { readRisks } from './read-risks.js'
import type { StateClock } from '../subscriber-state.js'
import { compareKeys, entryKey, readKey, writeKey, type TimelineEntry } from './entries.js'
import { readEntryDeliveries, type EntryDelivery } from './read-deliveries.js'
import { readChanges, readPaid, readRetractedPayments } from './read-events.js'
import { readLives, type PolicyLife } from './read-lives.js'
import { readOverdue } from './read-overdue.js'

export interface TimelinePage {
  items: (TimelineEntry & { deliveries: EntryDelivery[] })[]
  /** false: the wallet has more policies, of which the oldest are left out */
  complete: boolean
  /** where the next page begins; null on the last page */
  next: string | null
}

const canBeDue = (lives: readonly PolicyLife[]): boolean =>
  lives.some(({ terms }) => terms.kind === 'subscription' || terms.kind === 'one-time')

/**
 * A page of the time line of a wallet. Each source gives its newest entries after the key, so that a page costs the same at
 * any key. What time did has no event: it is found between the newest and the oldest event of the page.
 */
export async function readTimeline(
  store: Store,
  { gateway, wallet, programId }: { gateway: string; wallet: string; programId: string },
  { limit, after }: { limit: number; after?: string | undefined },
  { nowSeconds, graceSeconds }: StateClock,
): Promise<TimelinePage> {
  const key = readKey(after)
  const page = { gateway, wallet, programId, key, most: limit + 1 }
  const { policies, complete } = await readLives(store, page)
  const [changes, payments, retracted] = await Promise.all([
    readChanges(store, policies, page),
    readPaid(store, page),
    readRetractedPayments(store, page),
  ])
  const inOrder = (entries: readonly TimelineEntry[]) =>
    [...entries].sort((a, b) => compareKeys(entryKey(a), entryKey(b)))
  const events = inOrder([...changes, ...payments, ...retracted])
  const nowMs = (Math.floor(nowSeconds) + 1) * 1_000
  const span = {
    fromMs: events[limit]?.atMs ?? -Infinity,
    // The entries of the key's own millisecond are told apart by the whole key.
    toMs: Math.min(nowMs, key === null ? Infinity : key.atMs + 1),
  }
  const due = new Map([...policies].filter(([, lives]) => canBeDue(lives)))
  const [overdue, risks] = await Promise.all([
    readOverdue(store, due, payments, span, { programId, graceSeconds }),
    readRisks(store, new Map([...policies].map(([address, lives]) => [address, lives.at(-1)!])), {
      gateway,
      ...span,
    }),
  ])
  const isAfter = (entry: TimelineEntry) => key === null || compareKeys(key, entryKey(entry)) < 0
  const all = inOrder([...events, ...[...overdue, ...risks].filter(isAfter)])
  const items = all.slice(0, limit)
  const deliveries = await readEntryDeliveries(store, gateway, items)
  return {
    items: items.map(entry => ({ ...entry, deliveries: deliveries.get(entry)! })),
    complete,
    next: all.length > limit ? writeKey(entryKey(items.at(-1)!)) : null,
  }
}
