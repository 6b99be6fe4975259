// Numbers that an event gets on arrival: each new event the next position, each payment of a tracking ID the next `seq`.
import type { ChainEvent } from '@payment-tracking/domain'
import { bigints, sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { FoldedEvent } from './fold.js'

/** A folded event with the position and `seq` of its arrival. */
export interface NumberedEvent extends FoldedEvent {
  position: bigint
  /** counts the payments of its tracking ID; null for all other events */
  seq: bigint | null
}

/** Whether an event has a `seq`. */
const isTracked = ({ effect, trackingId }: ChainEvent): boolean =>
  effect.kind === 'payment' && trackingId !== null

export const trackingIdsOf = (events: readonly ChainEvent[]): string[] => [
  ...new Set(events.filter(isTracked).map(event => event.trackingId!)),
]

/** The last `seq` of each of some tracking IDs; 0 without payments. */
export async function readTrackingHeads(
  tx: Tx,
  trackingIds: readonly string[],
): Promise<Map<string, bigint>> {
  if (trackingIds.length === 0) return new Map()
  const rows = await tx.$queryRaw<{ tracking_id: string; head: bigint }[]>`
    select tracking_id, head from trackings where tracking_id = any(${trackingIds}::text[])`
  const heads = new Map(trackingIds.map(trackingId => [trackingId, 0n]))
  for (const { tracking_id, head } of rows) heads.set(tracking_id, head)
  return heads
}

/**
 * Gives positions and `seq` in the order of arrival, and sends the new heads of tracking IDs.
 * @param before the last used position
 * @param known heads that were read before; the function reads the other heads
 */
export async function numberEvents(
  tx: PipelinedTx,
  folded: readonly FoldedEvent[],
  before: bigint,
  known: ReadonlyMap<string, bigint>,
): Promise<NumberedEvent[]> {
  const trackingIds = folded.map(({ event }) => (isTracked(event) ? event.trackingId : null))
  const seqs = await giveSeqs(tx, trackingIds, known)
  return folded.map((each, at) => ({ ...each, position: before + BigInt(at + 1), seq: seqs[at]! }))
}

/**
 * Counts on from the heads, and sends the new heads.
 * @param trackingIds of payments in the order in which they are counted; null gets no `seq`
 */
export async function giveSeqs(
  tx: PipelinedTx,
  trackingIds: readonly (string | null)[],
  known: ReadonlyMap<string, bigint> = new Map(),
): Promise<(bigint | null)[]> {
  const unread = trackingIds.filter(trackingId => trackingId !== null && !known.has(trackingId))
  const read = await readTrackingHeads(tx, [...new Set(unread as string[])])
  const heads = new Map<string, bigint>()
  const seqs = trackingIds.map(trackingId => {
    if (trackingId === null) return null
    const seq = (heads.get(trackingId) ?? known.get(trackingId) ?? read.get(trackingId)!) + 1n
    heads.set(trackingId, seq)
    return seq
  })
  writeTrackingHeads(tx, heads)
  return seqs
}

function writeTrackingHeads(tx: PipelinedTx, heads: ReadonlyMap<string, bigint>): void {
  if (heads.size === 0) return
  tx.send(sql`
    insert into trackings (tracking_id, head)
    select * from unnest(${[...heads.keys()]}::text[], ${bigints([...heads.values()])})
    on conflict (tracking_id) do update set head = excluded.head`)
}
