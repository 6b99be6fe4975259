import { sql } from '../database/sql.js'
import { setImmediate as giveWay } from 'node:timers/promises'
import { DEFAULT_PROGRAM_ID, type DeliveryRef, type CommittedPayment } from '@payment-tracking/contracts'
import type { ControlMessage } from '@payment-tracking/domain'
import { readCommittedPayments } from '../committed-payments.js'
import { readSaidFinal } from '../said-final.js'
import type { Store } from '../database/open-store.js'
import {
  insertDeliveriesIn,
  insertReleasedDeliveries,
  insertRetractions,
} from '../webhooks/insert-deliveries.js'
import { insertLifecycle, releaseLifecycle, type ChangedPolicies } from '../webhooks/insert-lifecycle.js'
import { releaseKnown } from '../webhooks/release-known.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { recordAnnouncements } from './announcements.js'
import { closeTaken, insertDeadLetters, type RefusedMessage, type StreamIdentity } from './dead-letters.js'
import { insertEvents } from './events.js'
import { collectCommittedPayments } from './collect-committed-payments.js'
import { takeReleased, writeCorrections, writeFinalizedSlot } from './finality.js'
import { writeGaps } from './gaps.js'
import { lockHead, recordBatch } from './head.js'
import { readIdentities, readRetractions, resolveIdentities, type Correction } from './identities.js'
import { findLatePayments, trackByPolicy, writeLatePayments } from './policy-tracking.js'
import { giveSeqs, isTracked, position } from './position.js'
import { project, readKnown } from './project.js'
import type { ReceivedMessage } from './received-message.js'
import { restateMoved } from './restate.js'
import { retract, settleTakenIn, type Retracted } from './retractions.js'
import { readTrackingHeads, writeTrackingHeads } from './trackings.js'

/** A checked control message, with its bytes in case it cannot be stored. */
export interface ReceivedControl {
  control: ControlMessage
  streamSequence: number
  subject: string
  bytes: Uint8Array
}

export interface Batch {
  stream: StreamIdentity
  received: readonly ReceivedMessage[]
  refused: readonly RefusedMessage[]
  /** the indexer's messages about the chain itself, in order */
  controls?: readonly ReceivedControl[] | undefined
  /** the program for deriving addresses where stored messages are read again; default: the production program */
  programId?: string | undefined
  /** the messages were read before: a message that is accepted now closes its dead letter */
  again?: boolean | undefined
  /** by event, when messages are traced: stored with the deliveries */
  traceParents?: ReadonlyMap<string, string> | undefined
  /** the verified run of the server; see `lockHead` */
  server?: string | undefined
  /**
   * called when Postgres has most of the batch's data and this process will wait for Postgres; not called in every
   * batch
   */
  onWriting?: (() => void) | undefined
}

export interface CommittedBatch {
  /** the database's epoch at the commit: every `seq` of `payments` and `retractions` belongs to it */
  epoch: string
  /** null when nothing in the batch was new */
  batchId: bigint | null
  /** the position of the batch's last event; null when nothing in the batch was new */
  lastPosition: bigint | null
  storedCount: number
  duplicateCount: number
  deadLetterCount: number
  /**
   * the new payments to announce, in `seq` order of each tracking ID, followed by older payments whose policy is new
   */
  payments: CommittedPayment[]
  /** payments that this batch retracted */
  retractions: CommittedPayment[]
  /** announcements of payments outside of the batch: the caller removes them after the announcement */
  announcementIds: bigint[]
  deliveries: DeliveryRef[]
}

/**
 * From this many messages on, a batch goes through Prisma's `$transaction`. Prisma's engine costs a fixed time for each
 * statement of a batch. This time does not matter in a batch of 2,000, but exceeds everything else for a single event.
 * The bench `ingest-lanes` compares both ways.
 */
const BULK_FROM = 1_000

/**
 * Events are most of a batch's data, so they are sent in parts: Postgres works on the first part while this process
 * prepares the next part. In between, the event loop sends buffered data.
 */
const SENT_IN_ONE_GO = 250

/**
 * Stores a batch of messages in one transaction: new events, projections, aggregates, `seq`, delivery rows and dead
 * letters commit together or not at all. Stored events stay as they are. A message that contradicts a stored event, or an
 * earlier message of the batch, becomes a dead letter CONFLICT.
 *
 * Control messages are applied first: retracted events leave projections and aggregates before the events of the batch
 * are added. The result does not depend on this order.
 * @param bulkFrom the size from which on a batch goes through Prisma; both ways store the same
 * @throws StoreUnavailableError, StoreTimeoutError: the same batch may succeed later
 * @throws StoreUnverifiedError: the server was started anew since `batch.server` was verified
 * @throws StoreRefusedError: a value in the batch can never be stored
 */
export async function commitBatch(
  { database }: Store,
  batch: Batch,
  bulkFrom = BULK_FROM,
): Promise<CommittedBatch> {
  const work = (tx: PipelinedTx) => writeBatch(tx, batch)
  return batch.received.length >= bulkFrom
    ? database.bulkTransaction(work)
    : database.pipelinedTransaction(work)
}

async function writeBatch(tx: PipelinedTx, batch: Batch): Promise<CommittedBatch> {
  const { stream, refused, traceParents, server, onWriting, programId = DEFAULT_PROGRAM_ID } = batch
  const controls = (batch.controls ?? []).map(({ control }) => control)
  const retracted = await applyRetractions(tx, controls, { server, programId })
  const received = [...retracted.takenIn, ...batch.received]
  // One round trip: the statements after the lock are sent with it and run once the lock is held. Duplicates are among
  // them.
  const asked = received.map(({ event }) => event)
  const [head, identities, retractions, knownAtFirst, heads] = await Promise.all([
    lockHead(tx, server),
    readIdentities(tx, asked),
    readRetractions(tx, asked),
    readKnown(tx, asked),
    readTrackingHeads(tx, [...new Set(asked.filter(isTracked).map(event => event.trackingId!))]),
  ])
  const { position: before } = head
  const resolved = await resolveIdentities(tx, received, identities, retractions)
  await settleTakenIn(tx, retracted.takenIn, resolved.conflicts)
  const waiting = new Set(retracted.takenIn.map(({ bytes }) => bytes))
  const conflicts = resolved.conflicts.filter(({ bytes }) => !waiting.has(bytes))
  if (batch.again) closeTaken(tx, stream, takenOf(batch, resolved.conflicts))
  const finalizedSlot = await applyFinality(tx, head.finalizedSlot, controls, resolved.corrections)
  const moved = resolved.corrections.filter(correction => correction.moved)
  if (moved.length > 0) await restateMoved(tx, moved, { upTo: before, programId })
  const known = moved.length > 0 ? await readKnown(tx, asked) : knownAtFirst

  const committed: CommittedBatch = {
    epoch: head.epoch,
    batchId: null,
    lastPosition: null,
    storedCount: resolved.fresh.length,
    duplicateCount: resolved.duplicateCount,
    deadLetterCount: await insertDeadLetters(tx, stream, [...refused, ...conflicts]),
    payments: [],
    retractions: await readFacts(tx, retracted.payments),
    announcementIds: [],
    deliveries: [],
  }
  const tracked = await trackByPolicy(tx, resolved.fresh)
  const late = await findLatePayments(tx, resolved.fresh)
  const finalized = new Set([
    ...resolved.fresh.filter(({ event }) => event.commitment === 'finalized').map(({ event }) => event.id),
    ...(await readSaidFinal(
      tx,
      late.map(({ id }) => id),
    )),
  ])
  const isFinal = ({ eventId, slot }: Pick<CommittedPayment, 'eventId' | 'slot'>): boolean =>
    BigInt(slot) <= finalizedSlot || finalized.has(eventId)
  const seqs = await giveSeqs(tx, heads, tracked, late)
  const positioned = position(tracked, before, seqs.ofFresh)
  const upTo = before + BigInt(positioned.length)
  // From here on, Postgres writes the sent events while this process computes the next.
  for (let at = 0; at < positioned.length; at += SENT_IN_ONE_GO) {
    if (at > 0) await giveWay()
    insertEvents(tx, positioned.slice(at, at + SENT_IN_ONE_GO))
  }
  writeLatePayments(tx, late, seqs.ofLate)
  writeTrackingHeads(tx, seqs.heads)
  const standing = positioned.filter(each => !each.retracted)
  let changed: ChangedPolicies | null = null
  if (standing.length > 0) {
    const events = standing.map(({ event }) => event)
    const projected = await project(tx, events, known, { before, upTo })
    changed = { events, before: known.policies, ...projected }
    committed.payments = await collectCommittedPayments(
      tx,
      standing.filter(({ awaitsPolicy }) => !awaitsPolicy),
      projected,
    )
  }
  const lateFacts = await readFacts(
    tx,
    late.filter(each => !each.retracted).map(({ id }) => id),
  )
  committed.payments.push(...lateFacts)
  committed.announcementIds = [
    ...(await recordAnnouncements(tx, 'payment', lateFacts.filter(isFollowed).map(idOf))),
    ...(await recordAnnouncements(tx, 'retraction', committed.retractions.filter(isFollowed).map(idOf))),
  ]
  const writing = Promise.all([
    insertDeliveriesIn(tx, committed.payments, traceParents, isFinal),
    insertRetractions(tx, committed.retractions),
    releaseDeliveries(tx, head.finalizedSlot, finalizedSlot, resolved.corrections),
    changed === null ? [] : insertLifecycle(tx, changed, isFinal),
    releaseKnown(tx, { events: changed?.events ?? [], moved }, isFinal),
    positioned.length === 0 ? null : recordBatch(tx, before + 1n, upTo),
  ])
  onWriting?.()
  const [deliveries, told, released, lifecycle, decided, batchId] = await writing
  return {
    ...committed,
    deliveries: [...deliveries, ...told, ...released, ...lifecycle, ...decided],
    batchId,
    lastPosition: positioned.length === 0 ? null : upTo,
  }
}

/** The positions in the stream of the messages that were not refused. */
function takenOf(
  { received, controls = [] }: Batch,
  conflicts: readonly { streamSequence: number }[],
): number[] {
  const refused = new Set(conflicts.map(({ streamSequence }) => streamSequence))
  return [...received, ...controls]
    .map(({ streamSequence }) => streamSequence)
    .filter(streamSequence => !refused.has(streamSequence))
}

const idOf = ({ eventId }: CommittedPayment): string => eventId
/** A client can subscribe only to a payment with a tracking ID. */
const isFollowed = ({ trackingId }: CommittedPayment): boolean => trackingId !== null

const readFacts = (tx: PipelinedTx, ids: readonly string[]): Promise<CommittedPayment[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : readCommittedPayments(
        statement => tx.$queryRaw(statement),
        sql`e.id = any(${[...ids]}::uuid[])`,
        sql`order by e.tracking_id, e.seq`,
      )

async function applyRetractions(
  tx: PipelinedTx,
  controls: readonly ControlMessage[],
  { server, programId }: { server: string | undefined; programId: string },
): Promise<Retracted> {
  const transactions = controls.filter(control => control.kind === 'retracted')
  if (transactions.length === 0) return { payments: [], takenIn: [] }
  const { position: upTo } = await lockHead(tx, server)
  return retract(tx, transactions, { upTo, programId })
}

/** @returns the highest final slot, after the batch */
async function applyFinality(
  tx: PipelinedTx,
  before: bigint,
  controls: readonly ControlMessage[],
  corrections: readonly Correction[],
): Promise<bigint> {
  writeCorrections(tx, corrections)
  await writeGaps(
    tx,
    controls.filter(control => control.kind === 'gap'),
  )
  let highest = before
  for (const control of controls)
    if (control.kind === 'finalized' && BigInt(control.slot) > highest) highest = BigInt(control.slot)
  if (highest > before) writeFinalizedSlot(tx, highest)
  return highest
}

/** Releases deliveries of stored payments that this batch made final. */
async function releaseDeliveries(
  tx: PipelinedTx,
  before: bigint,
  finalizedSlot: bigint,
  corrections: readonly Correction[],
): Promise<DeliveryRef[]> {
  const final = {
    finalizedSlot: finalizedSlot > before ? finalizedSlot : null,
    eventIds: corrections.filter(({ finalized }) => finalized).map(({ id }) => id),
  }
  const [released, lifecycle] = await Promise.all([takeReleased(tx, final), releaseLifecycle(tx, final)])
  if (released.length === 0) return lifecycle
  const payments = await readFacts(tx, [...new Set(released.map(({ eventId }) => eventId))])
  return [...lifecycle, ...(await insertReleasedDeliveries(tx, released, payments))]
}
