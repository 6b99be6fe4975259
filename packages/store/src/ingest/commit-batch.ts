import { setImmediate as giveWay } from 'node:timers/promises'
import type { DeliveryRef, CommittedPayment } from '@payment-tracking/contracts'
import { isOfIncarnation, type ChainEvent } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql, type Tx } from '../database/sql.js'
import { readCommittedPayments } from '../committed-payments.js'
import { insertDeliveriesIn } from '../webhooks/insert-deliveries.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { insertDeadLetters, type RefusedMessage, type StreamIdentity } from './dead-letters.js'
import { insertEvents, readFingerprints, type PositionedEvent, type ReceivedEvent } from './events.js'
import { lockHead, recordBatch } from './head.js'
import { mintOf, project, readKnown, type Projected } from './project.js'
import { readTrackingHeads, writeTrackingHeads } from './trackings.js'

/** A checked message that still has its bytes, in case another message contradicts it. */
export interface ReceivedMessage extends ReceivedEvent {
  subject: string
  bytes: Uint8Array
}

export interface Batch {
  stream: StreamIdentity
  received: readonly ReceivedMessage[]
  refused: readonly RefusedMessage[]
  /** by event, when messages are traced: kept with the deliveries */
  traceParents?: ReadonlyMap<string, string> | undefined
  /** the run of the server that was verified; see `lockHead` */
  server?: string | undefined
  /** called when Postgres has most of what it must write, and this process will wait for it; perhaps not at all */
  onWriting?: (() => void) | undefined
}

export interface CommittedBatch {
  /** null when nothing in the batch was new */
  batchId: bigint | null
  /** the position of its last event; null when nothing in the batch was new */
  lastPosition: bigint | null
  storedCount: number
  duplicateCount: number
  deadLetterCount: number
  /** the new payments, in `seq` order of each tracking ID */
  payments: CommittedPayment[]
  deliveries: DeliveryRef[]
}

/** The longest a batch may take: beyond it the transaction is given up and the messages come again. */
const TRANSACTION_TIMEOUT_MS = 60_000

/**
 * Events, most of what a batch sends, go in parts: Postgres begins with the first while the next is put together, and
 * in between the event loop passes on what the connection could not take at once.
 */
const SENT_IN_ONE_GO = 250

/**
 * Stores a batch of messages in one transaction: new events, projections, aggregates, `seq`, delivery rows and
 * dead letters commit together or not at all. What is stored already is left alone; a message that contradicts
 * what is stored, or an earlier one of the batch, becomes a dead letter CONFLICT.
 * @throws StoreUnavailableError, StoreTimeoutError: the same batch may succeed later
 * @throws StoreUnverifiedError: the server was started anew since `batch.server` was verified
 * @throws StoreRefusedError: a value in the batch can never be stored
 */
export async function commitBatch({ database }: Store, batch: Batch): Promise<CommittedBatch> {
  return await database.pipelinedTransaction(tx => writeBatch(tx, batch), TRANSACTION_TIMEOUT_MS)
}

async function writeBatch(
  tx: PipelinedTx,
  { stream, received, refused, traceParents, server, onWriting }: Batch,
): Promise<CommittedBatch> {
  // One trip: what is read after the lock was asked for is read once it is held. Duplicates are among it.
  const asked = received.map(({ event }) => event)
  const [before, fingerprints, known, heads] = await Promise.all([
    lockHead(tx, server),
    readFingerprints(tx, asked),
    readKnown(tx, asked),
    readTrackingHeads(tx, [...new Set(asked.filter(isCounted).map(event => event.trackingId!))]),
  ])
  const { fresh, conflicts } = separate(received, fingerprints)
  const committed: CommittedBatch = {
    batchId: null,
    lastPosition: null,
    storedCount: fresh.length,
    duplicateCount: received.length - fresh.length - conflicts.length,
    deadLetterCount: await insertDeadLetters(tx, stream, [...refused, ...conflicts]),
    payments: [],
    deliveries: [],
  }
  if (fresh.length === 0) return committed

  const { positioned, moved } = position(fresh, before, heads)
  const upTo = before + BigInt(positioned.length)
  // From here on Postgres writes what was sent while the next is computed.
  for (let at = 0; at < positioned.length; at += SENT_IN_ONE_GO) {
    if (at > 0) await giveWay()
    insertEvents(tx, positioned.slice(at, at + SENT_IN_ONE_GO))
  }
  writeTrackingHeads(tx, moved)
  const events = fresh.map(({ event }) => event)
  const projected = await project(tx, events, known, { before, upTo })
  committed.payments = await committedPaymentsOf(tx, positioned, projected)
  const writing = Promise.all([
    insertDeliveriesIn(tx, committed.payments, traceParents),
    recordBatch(tx, before + 1n, upTo),
  ])
  onWriting?.()
  const [deliveries, batchId] = await writing
  return { ...committed, deliveries, batchId, lastPosition: upTo }
}

/** Splits what is new from what is known and from what contradicts it; the first message of an identity wins. */
function separate(
  received: readonly ReceivedMessage[],
  stored: ReadonlyMap<string, string>,
): { fresh: ReceivedMessage[]; conflicts: RefusedMessage[] } {
  const fingerprints = new Map(stored)
  const fresh: ReceivedMessage[] = []
  const conflicts: RefusedMessage[] = []
  for (const message of received) {
    const { event, streamSequence, subject, bytes } = message
    const fingerprint = fingerprints.get(event.id)
    if (fingerprint === undefined) {
      fingerprints.set(event.id, event.fingerprint)
      fresh.push(message)
    } else if (fingerprint !== event.fingerprint) {
      const reason = `event ${event.id} is stored already with other data, slot or timestamp`
      conflicts.push({ streamSequence, subject, code: 'CONFLICT', reason, bytes })
    }
  }
  return { fresh, conflicts }
}

/** Whether an event has a `seq`. */
const isCounted = ({ effect, trackingId }: ChainEvent): boolean =>
  effect.kind === 'payment' && trackingId !== null

/** Gives each event its position and each payment its `seq`, in the order of arrival. */
function position(
  fresh: readonly ReceivedMessage[],
  before: bigint,
  heads: ReadonlyMap<string, bigint>,
): { positioned: PositionedEvent[]; moved: Map<string, bigint> } {
  const moved = new Map<string, bigint>()
  const positioned = fresh.map(({ event, streamSequence }, index): PositionedEvent => {
    let seq: bigint | null = null
    if (isCounted(event)) {
      const trackingId = event.trackingId!
      seq = (moved.get(trackingId) ?? heads.get(trackingId) ?? 0n) + 1n
      moved.set(trackingId, seq)
    }
    return { event, streamSequence, position: before + BigInt(index + 1), seq }
  })
  return { positioned, moved }
}

/**
 * The new payments as they are told. The states in memory hold recipient, payer and mint of nearly all of
 * them; a payment of an earlier life without a recipient of its own is read as any reader would.
 */
async function committedPaymentsOf(
  tx: Tx,
  positioned: readonly PositionedEvent[],
  projected: Projected,
): Promise<CommittedPayment[]> {
  const payments: CommittedPayment[] = []
  const ofEarlierLives: string[] = []
  for (const stored of positioned) {
    const { event, seq } = stored
    const { effect } = event
    if (effect.kind !== 'payment') continue
    const policy = projected.policies.get(effect.policy)!
    const ofThisLife = isOfIncarnation(policy.lifeStart, event.order)
    if (effect.recipient === null && policy.lifeStart !== null && !ofThisLife) {
      ofEarlierLives.push(event.id)
      continue
    }
    const owner =
      policy.userPayment === null ? null : (projected.userPayments.get(policy.userPayment)?.owner ?? null)
    payments.push({
      eventId: event.id,
      position: stored.position.toString(),
      trackingId: event.trackingId,
      seq: seq === null ? null : Number(seq),
      signature: event.signature,
      slot: event.slot,
      occurredAt: event.occurredAt.toISOString(),
      paidAt: effect.paidAt.toString(),
      paymentPolicy: effect.policy,
      gateway: effect.gateway,
      amount: effect.amount.toString(),
      recordId: effect.recordId,
      recipient: effect.recipient ?? (ofThisLife ? policy.recipient : null),
      payer: effect.payer ?? owner,
      tokenMint: mintOf(projected, effect),
    })
  }
  if (ofEarlierLives.length === 0) return payments
  payments.push(
    ...(await readCommittedPayments(
      statement => tx.$queryRaw(statement),
      sql`e.id = any(${ofEarlierLives}::uuid[])`,
    )),
  )
  return payments.sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1))
}
