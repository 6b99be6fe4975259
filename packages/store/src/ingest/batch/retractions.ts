// Transactions that the finalized chain does not hold: records them, marks their events, and takes the events out of the
// figures.
import { columnTable } from '../../core/database/columns.js'
import type { PipelinedTx, Tx } from '../../core/database/sql.js'
import { readMessage, type RetractedTransaction } from '@payment-tracking/domain'
import type { ReceivedMessage } from './batch.js'
import { markAccepted, readWaitingLetters } from './dead-letters.js'
import type { LockedHead } from '../../core/tables/head.js'
import { takeEvents, type StoredEvent } from '../figures/figures.js'

/** A stored event that a retraction took back, with its details. */
export interface RetractedEvent extends StoredEvent {
  id: string
  slot: number
  transactionIndex: number
  index: number
  paymentPolicy: string | null
  userPayment: string | null
  paidAt: bigint | null
  /** of a payment that nobody was notified of */
  awaitsPolicy: boolean
}

/** A dead letter that contradicted a transaction until that transaction was retracted. */
export interface AcceptedLetter extends ReceivedMessage {
  letterId: bigint
}

export interface Retracted {
  /** events that were valid until this retraction */
  events: RetractedEvent[]
  accepted: AcceptedLetter[]
}

const TRANSACTIONS = columnTable<RetractedTransaction>('r', {
  signature: ['text', ({ signature }) => signature],
  slot: ['bigint', ({ slot }) => String(slot)],
})

/** @returns the retractions that were not known yet */
async function insertRetractions(
  tx: PipelinedTx,
  transactions: readonly RetractedTransaction[],
): Promise<RetractedTransaction[]> {
  const data = transactions.map(({ signature, slot }) => ({ signature, slot: BigInt(slot) }))
  const rows = await tx.withModels(client =>
    client.retraction.createManyAndReturn({ data, skipDuplicates: true }),
  )
  return rows.map(({ signature, slot }) => ({ signature, slot: Number(slot) }))
}

/** Relies on events_signature_hash. SQL: a list of keys of several columns. */
const markRetracted = (tx: Tx, transactions: readonly RetractedTransaction[]): Promise<RetractedEvent[]> =>
  tx.$queryRaw<RetractedEvent[]>`
    update events e set retracted_at = clock_timestamp()
      from ${TRANSACTIONS.listOf(transactions)}
     where e.signature = r.signature and e.slot = r.slot and e.retracted_at is null
    returning e.id, e.position, e.name, e.slot::float8 as slot, e.transaction_index::float8 as "transactionIndex",
              e.event_index::float8 as index, e.gateway,
              e.payment_policy as "paymentPolicy", e.user_payment as "userPayment", e.occurred_at as "occurredAt",
              e.amount::text as amount, e.paid_at as "paidAt", e.token_mint as "tokenMint",
              e.awaits_policy as "awaitsPolicy"`

/**
 * Retracts transactions: marks their events, and takes the events out of the figures. The caller holds the writer lock and
 * folds their addresses again. Earlier retractions stay unchanged, so a repetition changes nothing. Events that come later
 * will be stored as retracted.
 */
export async function retract(
  tx: PipelinedTx,
  head: LockedHead,
  transactions: readonly RetractedTransaction[],
  programId: string,
): Promise<Retracted> {
  const unknown = await insertRetractions(tx, transactions)
  if (unknown.length === 0) return { events: [], accepted: [] }
  const events = await markRetracted(tx, unknown)
  const signatures = unknown.map(({ signature }) => signature)
  const letters = await readWaitingLetters(tx, signatures)
  await takeEvents(tx, head, events)
  const settings = { programId, requireProgramId: false }
  const accepted = letters.flatMap((letter): AcceptedLetter[] => {
    const read = readMessage(letter.bytes, settings)
    return read.ok ? [{ ...letter, event: read.event }] : []
  })
  return { events, accepted }
}

/** Closes letters whose messages are stored now, or agree with a stored event. */
export async function closeAccepted(
  tx: Tx,
  accepted: readonly AcceptedLetter[],
  conflicts: readonly { streamSequence: number; bytes: Uint8Array }[],
): Promise<void> {
  const still = new Set(conflicts.map(({ bytes }) => bytes))
  const agreeing = accepted.filter(({ bytes }) => !still.has(bytes))
  await markAccepted(tx, agreeing)
}
