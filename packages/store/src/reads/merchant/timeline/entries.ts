// What the time line of a wallet consists of, and its order.
import { empty, sql, type Sql } from '../../../core/database/sql.js'

/** What an entry says; `status_changed` is of a status that we do not know. */
export const ENTRY_TYPES = [
  'created',
  'paid',
  'paused',
  'resumed',
  'completed',
  'status_changed',
  'deleted',
  'overdue',
  'at_risk',
  'at_risk_cleared',
  'retracted',
] as const
export type EntryType = (typeof ENTRY_TYPES)[number]

export interface TimelineEntry {
  type: EntryType
  atMs: number
  /** of the event, or of what time did */
  id: string
  /** null for what time did */
  eventId: string | null
  signature: string | null
  /** null for a payment without a policy */
  policyAddress: string | null
  trackingId: string | null
  tokenMint: string | null
  /** of a payment */
  amount: bigint | null
  /** the date that was missed, Unix seconds */
  dueAt: bigint | null
  /** why a due payment will not come, when that is known */
  cause: string | null
  /** of the message that time made: its deliveries are found by it */
  messageId: string | null
}

const UNKNOWN = {
  eventId: null,
  signature: null,
  trackingId: null,
  tokenMint: null,
  amount: null,
  dueAt: null,
  cause: null,
  messageId: null,
}

/** An entry of which nothing else is known. */
export const entryOf = (
  known: Omit<TimelineEntry, keyof typeof UNKNOWN> & Partial<TimelineEntry>,
): TimelineEntry => ({ ...UNKNOWN, ...known })

/** Of entries of one millisecond, the higher rank is the newer. Each rank is a source of entries. */
export const RANK = { change: 0, payment: 1, overdue: 2, risk: 3, retraction: 4 } as const
type Rank = (typeof RANK)[keyof typeof RANK]

/** All other types are of changes. */
const RANKS: Partial<Record<EntryType, Rank>> = {
  paid: RANK.payment,
  overdue: RANK.overdue,
  at_risk: RANK.risk,
  at_risk_cleared: RANK.risk,
  retracted: RANK.retraction,
}

/** The key of an entry. */
export interface EntryKey {
  atMs: number
  rank: Rank
  id: string
}

export const entryKey = ({ atMs, type, id }: TimelineEntry): EntryKey => ({
  atMs,
  rank: RANKS[type] ?? RANK.change,
  id,
})

export const writeKey = ({ atMs, rank, id }: EntryKey): string => `${atMs}_${rank}_${id}`

/** @returns null for text that is no key */
export function readKey(text: string | undefined): EntryKey | null {
  const [, atMs, rank, id] = /^(-?\d{1,16})_([0-4])_(.{1,150})$/.exec(text ?? '') ?? []
  if (atMs === undefined || id === undefined) return null
  const key = { atMs: Number(atMs), rank: Number(rank) as Rank, id }
  // The ids of these are ids of events.
  return key.rank === RANK.overdue || key.rank === RANK.risk || UUID.test(id) ? key : null
}
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Newest first. */
export function compareKeys(a: EntryKey, b: EntryKey): number {
  return b.atMs - a.atMs || b.rank - a.rank || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}

/**
 * The events of a rank after a key.
 * @param at a column of events `e`
 * @param point writes a time as the column has it: `most` rounds down, else up
 */
export function afterKey(
  key: EntryKey | null,
  rank: Rank,
  at: Sql,
  point: (atMs: number, most: boolean) => Sql,
): Sql {
  if (key === null) return empty
  if (rank < key.rank) return sql`and ${at} <= ${point(key.atMs, true)}`
  if (rank > key.rank) return sql`and ${at} < ${point(key.atMs, false)}`
  return sql`and (${at}, e.id) < (${point(key.atMs, true)}, ${key.id}::uuid)`
}
