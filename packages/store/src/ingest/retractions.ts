// Transactions that the finalized chain does not hold: records them, removes them from events, projections and
// aggregates, and announces their payments.
import { type Tx } from '../database/sql.js'
import { readMessage, type RetractedTransaction } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { ReceivedMessage } from './received-message.js'
import { markTakenIn, readWaitingLetters } from './dead-letters.js'
import { addressesOf, restate, type NamedAddresses } from './restate.js'
import { subtractCounts } from './aggregates.js'
import { forgetLifecycle } from '../webhooks/insert-lifecycle.js'

export interface RetractedEvent extends NamedAddresses {
  id: string
  isPayment: boolean
  occurredAt: Date
}

/** A dead letter that contradicted a transaction until that transaction was retracted. */
export interface TakenIn extends ReceivedMessage {
  letterId: bigint
}

export interface Retracted {
  /** payments that stood until this retraction */
  payments: string[]
  takenIn: TakenIn[]
}

/** @returns the retractions that were not known yet */
async function insertRetractions(
  tx: Tx,
  transactions: readonly RetractedTransaction[],
): Promise<RetractedTransaction[]> {
  const rows = await tx.$queryRaw<{ signature: string; slot: bigint }[]>`
    insert into retractions (signature, slot)
    select * from unnest(${transactions.map(({ signature }) => signature)}::text[],
                         ${transactions.map(({ slot }) => String(slot))}::bigint[])
    on conflict do nothing
    returning signature, slot`
  return rows.map(({ signature, slot }) => ({ signature, slot: Number(slot) }))
}

/** Relies on events_signature_hash. */
const markRetracted = (tx: Tx, transactions: readonly RetractedTransaction[]): Promise<RetractedEvent[]> =>
  tx.$queryRaw<RetractedEvent[]>`
    update events e set retracted_at = clock_timestamp()
      from unnest(${transactions.map(({ signature }) => signature)}::text[],
                  ${transactions.map(({ slot }) => String(slot))}::bigint[]) as r (signature, slot)
     where e.signature = r.signature and e.slot = r.slot and e.retracted_at is null
    returning e.id, e.name, e.gateway, e.payment_policy as "paymentPolicy", e.user_payment as "userPayment",
              e.amount is not null as "isPayment", e.occurred_at as "occurredAt"`

/**
 * Retracts transactions. The caller holds the writer lock. Earlier retractions stay unchanged, so a repetition changes
 * nothing. Events that come later will be stored as retracted.
 * @param upTo the last stored position
 */
export async function retract(
  tx: PipelinedTx,
  transactions: readonly RetractedTransaction[],
  { upTo, programId }: { upTo: bigint; programId: string },
): Promise<Retracted> {
  const unknown = await insertRetractions(tx, transactions)
  if (unknown.length === 0) return { payments: [], takenIn: [] }
  const events = await markRetracted(tx, unknown)
  const letters = await readWaitingLetters(
    tx,
    unknown.map(({ signature }) => signature),
  )
  if (events.length > 0) {
    subtractCounts(tx, events)
    await forgetLifecycle(
      tx,
      events.map(({ id }) => id),
    )
    await restate(tx, addressesOf(events), { upTo, programId, payments: paymentsOf(events) })
  }
  const settings = { programId, requireProgramId: false }
  const takenIn = letters.flatMap(({ id: letterId, ...letter }): TakenIn[] => {
    const read = readMessage(letter.bytes, settings)
    return read.ok ? [{ ...letter, letterId, event: read.event }] : []
  })
  return { payments: events.filter(({ isPayment }) => isPayment).map(({ id }) => id), takenIn }
}

const paymentsOf = (events: readonly RetractedEvent[]) =>
  events.flatMap(({ isPayment, gateway, occurredAt }) =>
    isPayment && gateway !== null ? [{ gateway, occurredAt }] : [],
  )

/** Closes letters whose messages are stored now, or agree with a stored event. */
export async function settleTakenIn(
  tx: Tx,
  takenIn: readonly TakenIn[],
  conflicts: readonly { streamSequence: number; bytes: Uint8Array }[],
): Promise<void> {
  const still = new Set(conflicts.map(({ bytes }) => bytes))
  await markTakenIn(
    tx,
    takenIn.filter(({ bytes }) => !still.has(bytes)).map(({ letterId }) => letterId),
  )
}
