// The first phase of a batch: takes the writer lock, and finds what of the messages is new.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import type { ChainEvent, ControlMessage } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/sql.js'
import { closeReplayed, insertDeadLetters } from './dead-letters.js'
import type { Batch, NewEvent } from './batch.js'
import { writeCorrections, writeFinalizedSlot } from './finality.js'
import { policyOf } from '../../core/tables/addresses.js'
import { writeGaps } from './gaps.js'
import { lockHead, type LockedHead } from '../../core/tables/head.js'
import { readIdentities, readRetractions, resolveIdentities, type Correction } from './identities.js'
import { preloadStates, type Preloaded } from './preload.js'
import { readBatchHeads, type BatchHeads } from '../../core/tables/tracking-heads.js'
import { readWebhooksOf, type WebhooksByGateway } from '../../messages/routing/notified-webhooks.js'
import { trackingIdsOf } from './number.js'
import { policiesToRecompute, readMoved, type MovedEvent } from './recompute-requests.js'
import { retract, closeAccepted, type Retracted } from './retractions.js'
import { readUnready } from '../recompute/policy-work.js'

/** What a batch brings that is not stored yet. */
export interface Identified {
  head: LockedHead
  /** after the batch */
  finalizedSlot: bigint
  fresh: NewEvent[]
  retracted: Retracted['events']
  moved: MovedEvent[]
  /** stored events that a copy calls final */
  finalEvents: string[]
  /** the stored states of the addresses of `fresh` */
  preloaded: Preloaded
  /** the last `seq` of the tracking IDs of `fresh` */
  heads: BatchHeads
  /** of the gateways that the messages pay */
  webhooks: WebhooksByGateway
  /** policies that are recomputed whatever the events are */
  unready: Set<string>
  duplicateCount: number
  deadLetterCount: number
}

/**
 * Retractions come first: they free the identities of their events. The result does not depend on this order.
 * @throws StoreUnverifiedError
 */
export async function identify(tx: PipelinedTx, batch: Batch): Promise<Identified> {
  const { stream, refused, serverRun, programId = DEFAULT_PROGRAM_ID } = batch
  const controls = (batch.controls ?? []).map(({ control }) => control)
  const retracted = await applyRetractions(tx, controls, { serverRun, programId })
  const received = [...retracted.accepted, ...batch.received]
  const asked = received.map(({ event }) => event)
  // One round trip: the statements after the lock are sent with it, in this order, and run once the lock is held.
  const [head, identities, retractions, preloaded, heads, unready, webhooks] = await Promise.all([
    lockHead(tx, serverRun),
    readIdentities(tx, asked),
    readRetractions(tx, asked),
    preloadStates(tx, asked),
    readBatchHeads(tx, trackingIdsOf(asked)),
    readUnready(tx, [...new Set(asked.flatMap(event => policyOf(event) ?? []))]),
    readWebhooksOf(tx, [...new Set(asked.flatMap(paidGateway))]),
  ])
  const resolved = await resolveIdentities(tx, received, identities, retractions)
  await closeAccepted(tx, retracted.accepted, resolved.conflicts)
  const waiting = new Set(retracted.accepted.map(({ bytes }) => bytes))
  const conflicts = resolved.conflicts.filter(({ bytes }) => !waiting.has(bytes))
  if (batch.again) closeReplayed(tx, stream, acceptedSequences(batch, resolved.conflicts))
  const finalizedSlot = await applyFinality(tx, head.finalizedSlot, controls, resolved.corrections)
  const moved = await readMoved(tx, resolved.corrections, programId)
  return {
    head,
    finalizedSlot,
    preloaded,
    heads,
    webhooks,
    moved,
    fresh: resolved.fresh,
    retracted: retracted.events,
    finalEvents: resolved.corrections.filter(({ finalized }) => finalized).map(({ id }) => id),
    unready: new Set([...unready.keys(), ...policiesToRecompute(retracted.events, moved)]),
    duplicateCount: resolved.duplicateCount,
    deadLetterCount: await insertDeadLetters(tx, stream, [...refused, ...conflicts]),
  }
}

const paidGateway = ({ effect }: ChainEvent): string[] => (effect.kind === 'payment' ? [effect.gateway] : [])

async function applyRetractions(
  tx: PipelinedTx,
  controls: readonly ControlMessage[],
  { serverRun, programId }: { serverRun: string | undefined; programId: string },
): Promise<Retracted> {
  const transactions = controls.filter(control => control.kind === 'retracted')
  if (transactions.length === 0) return { events: [], accepted: [] }
  return retract(tx, await lockHead(tx, serverRun), transactions, programId)
}

/** @returns the highest final slot, after the batch */
async function applyFinality(
  tx: PipelinedTx,
  before: bigint,
  controls: readonly ControlMessage[],
  corrections: readonly Correction[],
): Promise<bigint> {
  writeCorrections(tx, corrections)
  await writeGaps(tx, controls)
  let highest = before
  for (const control of controls)
    if (control.kind === 'finalized' && BigInt(control.slot) > highest) highest = BigInt(control.slot)
  if (highest > before) writeFinalizedSlot(tx, highest)
  return highest
}

/** The positions in the stream of the messages that were not refused. */
function acceptedSequences(
  { received, controls = [] }: Batch,
  conflicts: readonly { streamSequence: number }[],
): number[] {
  const refused = new Set(conflicts.map(({ streamSequence }) => streamSequence))
  return [...received, ...controls]
    .map(({ streamSequence }) => streamSequence)
    .filter(streamSequence => !refused.has(streamSequence))
}
