// A page of a gateway's feed: the bodies that a webhook without filters is sent, oldest first.
//
// Two orders are merged, and a cursor has a key in both: payments of their own batch by their position, everything else by its
// sequence (core/tables/messages.ts). Each of the two is the order of commits, so what commits late comes after the cursor, wherever
// it belongs among the others.
import { PAYMENT_MESSAGE_TYPE } from '@payment-tracking/domain'
import type { RunRead } from '../../core/database/database.js'
import { placedOf } from '../../core/tables/messages.js'
import { bodyOf } from '../../core/tables/payment-bodies.js'
import { sql, type Store } from '../../core/database/sql.js'
import { StoreUnavailableError } from '../../core/errors.js'
import type { FeedKey } from '../cursors.js'

export interface FeedQuery {
  gateway: string
  types: readonly string[]
  /** null is the beginning */
  after: FeedKey | null
  /** the most messages of the page, and the most rows of each order that it examines */
  limit: number
}

export interface FeedPage {
  /** JSON texts */
  bodies: string[]
  next: FeedKey
  /** more may be stored after `next` already */
  hasMore: boolean
}

/** Why nothing can be read after a cursor. */
type FeedRefusal = 'no longer kept' | 'another database'

interface Head {
  epoch: string
  position: bigint
  /** everything from here on is kept */
  firstPosition: bigint
  /** where the epoch of the cursor is an earlier one of this database: what both have in common; see earlier_epochs */
  sharedPosition: bigint | null
  sharedSequence: bigint | null
}

/** What a page has examined. */
interface Entry {
  position: bigint
  /** 0 for a payment of its own batch */
  sequence: bigint
  /** null where the page leaves it out */
  body: string | null
}

interface Part {
  gateway: string
  from: FeedKey
  /** the last position of an event when the page was begun */
  upTo: bigint
  limit: number
}

/**
 * Reads a page in three statements. It examines at most `limit` payments of the gateway, by their positions, and as many other
 * messages, whatever else is stored: by messages_payments and messages_numbered. So a page may be short or empty, and still go on.
 */
export async function readFeedPage(
  { database }: Store,
  { gateway, types, after, limit }: FeedQuery,
): Promise<FeedPage | FeedRefusal> {
  const [head] = await database.lookUp<Head>(sql`
    select h.epoch::text as epoch, h.position, greatest(h.first_position, h.messages_begin) as "firstPosition",
           b.last_position as "sharedPosition", b.last_sequence as "sharedSequence"
      from stream_head h left join earlier_epochs b on b.epoch = ${after?.epoch ?? null}::uuid`)
  const { epoch, position: upTo, firstPosition } = head!
  const beginning = firstPosition > 0n ? firstPosition - 1n : 0n
  const from = after === null ? { epoch, position: beginning, sequence: 0n } : toPresentEpoch(after, head!)
  if (from === null) return 'another database'
  if (from.position < beginning) return 'no longer kept'
  const part: Part = { gateway, from, upTo, limit }
  const payments = types.includes(PAYMENT_MESSAGE_TYPE) ? await readPayments(database.read, part) : []
  const rows = await readOthers(database.read, part, { types, firstPosition })
  return merge(payments, rows, part)
}

/**
 * The key in the present epoch. Messages whose numbers may be others in the present epoch come again, with the same ids.
 * @returns null for a key of another database, or of what was lost
 */
function toPresentEpoch(key: FeedKey, { epoch, sharedPosition, sharedSequence }: Head): FeedKey | null {
  if (key.epoch === epoch) return key
  if (sharedPosition === null || sharedSequence === null || key.position > sharedPosition) return null
  const sequence = key.sequence < sharedSequence ? key.sequence : sharedSequence
  return { epoch, position: key.position, sequence }
}

/** The payments that were sent together with their batch. */
async function readPayments(run: RunRead, { gateway, from, upTo, limit }: Part): Promise<readonly Entry[]> {
  const rows = await run<EntryRow>(sql`
    select m.position, m.sequence, ${bodyOf('m')} as body, (select epoch::text from stream_head) as epoch
      from messages m
     where ${placedOf(gateway)} and m.position > ${from.position} and m.position <= ${upTo}
     order by m.position limit ${limit}`)
  requireEpoch(rows, from)
  return rows
}

interface EntryRow extends Entry {
  epoch: string
}

/** Messages that were written when at most so many events were stored: a later one comes after payments that the page has not read. */
async function readOthers(
  run: RunRead,
  { gateway, from, upTo, limit }: Part,
  { types, firstPosition }: { types: readonly string[]; firstPosition: bigint },
): Promise<readonly Entry[]> {
  const rows = await run<EntryRow>(sql`
    select f.sequence, f.position,
           case when f.type = any(${[...types]}::text[]) and f.position >= ${firstPosition} then ${bodyOf('f')} end as body,
           (select epoch::text from stream_head) as epoch
      from (select * from messages f
             where f.sequence > 0 and f.gateway = ${gateway} and f.sequence > ${from.sequence} order by f.sequence limit ${limit}) f
     where f.position <= ${upTo}
     order by f.sequence`)
  requireEpoch(rows, from)
  // Positions rise with sequences. A cursor must not pass a row, even if one day they do not.
  let last = 0n
  return rows.map(row => ({ ...row, position: (last = row.position > last ? row.position : last) }))
}

/** @throws StoreUnavailableError when the database lost commits, or another one answered, between two statements */
function requireEpoch(rows: readonly { epoch: string }[], { epoch }: FeedKey): void {
  if (rows.some(row => row.epoch !== epoch))
    throw new StoreUnavailableError('the database began another epoch during the read')
}

/**
 * Merges both orders: a message comes after the payments that were stored when it was written. Of two orders of which only one was
 * read to its end, the page ends where the other one was left.
 */
function merge(payments: readonly Entry[], rows: readonly Entry[], { from, upTo, limit }: Part): FeedPage {
  const endOf = (read: readonly Entry[]) => (read.length < limit ? upTo : read.at(-1)!.position)
  const [endOfPayments, endOfRows] = [endOf(payments), endOf(rows)]
  const end = endOfPayments < endOfRows ? endOfPayments : endOfRows
  const entries = [...payments, ...rows].filter(({ position }) => position <= end).sort(byPosition)
  const bodies: string[] = []
  let { position, sequence } = from
  for (const entry of entries) {
    if (bodies.length === limit) return { bodies, next: { ...from, position, sequence }, hasMore: true }
    if (entry.position > position) position = entry.position
    if (entry.sequence > 0n) sequence = entry.sequence
    if (entry.body !== null) bodies.push(entry.body)
  }
  if (end > position) position = end
  const hasMore = payments.length === limit || rows.length === limit
  return { bodies, next: { ...from, position, sequence }, hasMore }
}

/** A sort is stable: payments and rows each keep their order. */
const byPosition = (a: Entry, b: Entry): number =>
  a.position === b.position
    ? Number(a.sequence > 0n) - Number(b.sequence > 0n)
    : a.position < b.position
      ? -1
      : 1
