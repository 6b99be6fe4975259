// Numbers that an event gets on arrival: each new event a position, each payment of a tracking ID the next `seq`.
import { type Tx } from '../database/sql.js'
import type { ChainEvent } from '@payment-tracking/domain'
import type { PositionedEvent } from './events.js'
import type { LatePayment, TrackedEvent } from './policy-tracking.js'
import { readTrackingHeads } from './trackings.js'

/** Whether an event has a `seq`. */
export const isTracked = ({ effect, trackingId }: ChainEvent): boolean =>
  effect.kind === 'payment' && trackingId !== null

export interface GivenSeqs {
  /** in the order of the new events; null for all other events */
  ofFresh: (bigint | null)[]
  /** by event */
  ofLate: Map<string, bigint>
  /** the last `seq` of each tracking ID that got one here */
  heads: Map<string, bigint>
}

/**
 * Counts on from the heads: new payments in the order of arrival, then payments whose policy came late.
 * @param known heads that were read before; the function reads the other heads
 */
export async function giveSeqs(
  tx: Tx,
  known: ReadonlyMap<string, bigint>,
  fresh: readonly TrackedEvent[],
  late: readonly LatePayment[],
): Promise<GivenSeqs> {
  const byPolicy = [
    ...fresh.filter(({ event }) => event.effect.kind === 'payment' && event.effect.tracksPolicy),
  ].map(({ event }) => event.trackingId)
  const unread = [...byPolicy, ...late.map(({ trackingId }) => trackingId)].filter(
    trackingId => trackingId !== null && !known.has(trackingId),
  )
  const read = await readTrackingHeads(tx, [...new Set(unread as string[])])
  const heads = new Map<string, bigint>()
  const next = (trackingId: string): bigint => {
    const seq = (heads.get(trackingId) ?? known.get(trackingId) ?? read.get(trackingId) ?? 0n) + 1n
    heads.set(trackingId, seq)
    return seq
  }
  const ofFresh = fresh.map(({ event }) => (isTracked(event) ? next(event.trackingId!) : null))
  const ofLate = new Map<string, bigint>()
  for (const { id, trackingId } of late) if (trackingId !== null) ofLate.set(id, next(trackingId))
  return { ofFresh, ofLate, heads }
}

/** @param before the last used position */
export const position = (
  fresh: readonly TrackedEvent[],
  before: bigint,
  seqs: readonly (bigint | null)[],
): PositionedEvent[] =>
  fresh.map((each, at) => ({ ...each, position: before + BigInt(at + 1), seq: seqs[at] ?? null }))
