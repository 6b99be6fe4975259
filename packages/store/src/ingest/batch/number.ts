// Numbers that an event gets on arrival: each new event the next position, each payment of a tracking ID the next `seq`.
import type { ChainEvent } from '@payment-tracking/domain'
import type { Tx } from '../../core/database/sql.js'
import { giveSeqs, type BatchHeads } from '../../core/tables/tracking-heads.js'
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

/**
 * Gives positions and `seq` in the order of arrival.
 * @param before the last used position
 * @param preloaded heads that were read before; the function reads the other heads
 */
export async function numberEvents(
  tx: Tx,
  folded: readonly FoldedEvent[],
  before: bigint,
  preloaded: BatchHeads,
): Promise<NumberedEvent[]> {
  const trackingIds = folded.map(({ event }) => (isTracked(event) ? event.trackingId : null))
  const seqs = await giveSeqs(tx, trackingIds, preloaded)
  return folded.map((each, at) => ({ ...each, position: before + BigInt(at + 1), seq: seqs[at]! }))
}
