// The last phase of a batch: notifies of what changed. Writes deliveries and announcements, and records the batch for the
// outbox relay.
import type { CommittedPayment } from '@payment-tracking/contracts'
import { readCommittedById } from '../../core/tables/committed-payments.js'
import type { PipelinedTx } from '../../core/database/sql.js'
import { readFinality } from '../../core/tables/finality.js'
import { forget } from '../../messages/waiting/forget.js'
import { notify } from '../../messages/routing/notify.js'
import type { WebhooksByGateway } from '../../messages/routing/notified-webhooks.js'
import { recordAnnouncements } from '../outbox/announcements.js'
import type { Batch, CommittedChanges } from './batch.js'
import { causesOf, collectLifecycles, readCompleting, toCommitted } from './collect-lifecycles.js'
import type { Folded } from './fold.js'
import { recordBatch, type StreamPlace } from '../../core/tables/head.js'
import type { Identified } from './identify.js'
import type { NumberedEvent } from './number.js'
import type { Recomputed } from '../recompute/policy-work.js'
import { releaseKnown, type BatchKnown } from './release-known.js'
import { MAX_PAGE_ROWS } from '../../core/tasks/work-table.js'

export interface BatchDifferences {
  batch: Batch
  identified: Identified
  folded: Folded
  numbered: readonly NumberedEvent[]
  recomputed: Recomputed
  /** of the gateways of `folded` */
  webhooks: WebhooksByGateway
}

export async function notifyBatch(
  tx: PipelinedTx,
  differences: BatchDifferences,
): Promise<Omit<CommittedChanges, 'epoch' | 'expectations' | 'feeds' | 'lastPosition'>> {
  const { batch, identified, folded, numbered, recomputed, webhooks } = differences
  const late = await readCommittedById(tx, withoutFresh(recomputed.completed, numbered))
  const payments = [...(await collectPayments(tx, differences)), ...late]
  // A recompute counts payments after the batch's others.
  if (recomputed.completed.length > 0) payments.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  const retracted = identified.retracted.filter(({ amount }) => amount !== null).map(({ id }) => id)
  const retractions = await readCommittedById(tx, retracted)
  const announcementIds = [
    ...(await recordAnnouncements(tx, 'payment', late)),
    ...(await recordAnnouncements(tx, 'retraction', retractions)),
  ]
  const lifecycles = await collectLifecycles(
    tx,
    [...folded.policies, ...recomputed.policies],
    folded.userPayments,
    numbered.at(-1)?.position ?? identified.head.position,
    await readCompleting(tx, recomputed.policies),
  )
  const { fresh, moved, finalEvents, finalizedSlot } = identified
  const saidFinal = fresh.filter(({ event }) => event.commitment === 'finalized')
  const stored = [...late.map(idOf), ...withoutFresh(causesOf(lifecycles), numbered), ...moved.map(idOfCause)]
  const isFinal = await readFinality(tx, finalizedSlot, stored, [...finalEvents, ...saidFinal.map(idOfCause)])
  // First, so that an ordered webhook hears of a retraction before the payments of its batch. Most batches retract nothing,
  // and send nothing here.
  const retracting = await forget(tx, {
    events: identified.retracted.map(idOfEvent),
    payments: retractions,
    unsent: identified.retracted.filter(({ awaitsPolicy }) => awaitsPolicy).map(idOfEvent),
  })
  // Sent together: the two write no table in common, so their order does not matter.
  const writing = Promise.all([
    notify(tx, { payments, late, lifecycles, traceParents: batch.traceParents, isFinal, webhooks }),
    numbered.length === 0
      ? null
      : recordBatch(tx, identified.head.position + 1n, numbered.at(-1)!.position, lastPlaceOf(batch)),
  ])
  batch.onWriting?.()
  const [notified, batchId] = await writing
  // Afterwards, because what a retraction takes back is not released, and alone, because a page of it may be undone.
  const { rowsAtOnce = MAX_PAGE_ROWS } = batch
  const released = await releaseKnown(tx, knownBy(differences), isFinal, rowsAtOnce)
  const deliveries = [...retracting, ...notified, ...released]
  const told = toCommitted(lifecycles)
  return { batchId, payments, retractions, announcementIds, deliveries, lifecycles: told }
}

/** Where the stream has the last message of a batch. A retraction alone can bring events too: those that waited for it. */
const lastPlaceOf = ({ stream, received, controls = [] }: Batch): StreamPlace => ({
  createdAt: stream.createdAt,
  sequence: BigInt(Math.max(...[...received, ...controls].map(({ streamSequence }) => streamSequence))),
})

const idOf = ({ eventId }: CommittedPayment): string => eventId
const idOfEvent = ({ id }: { id: string }): string => id
const idOfCause = ({ event }: { event: { id: string } }): string => event.id

function withoutFresh(ids: readonly string[], numbered: readonly NumberedEvent[]): string[] {
  if (ids.length === 0) return []
  const fresh = new Set(numbered.map(({ event }) => event.id))
  return ids.filter(id => !fresh.has(id))
}

/**
 * The new valid payments whose tracking ID is known, in the order of arrival. Those whose details a recompute may have
 * changed are read again.
 */
async function collectPayments(
  tx: PipelinedTx,
  { folded, numbered, recomputed }: BatchDifferences,
): Promise<CommittedPayment[]> {
  const completed = new Set(recomputed.completed)
  const valid = numbered.filter(
    ({ event, retracted, awaitsPolicy }) =>
      event.effect.kind === 'payment' && !retracted && (!awaitsPolicy || completed.has(event.id)),
  )
  const again = [...folded.undecided, ...recomputed.changed]
  const ids = new Set(again.length === 0 ? [] : valid.map(({ event }) => event.id))
  const differing = again.filter(id => ids.has(id))
  const byId = new Map((await readCommittedById(tx, differing)).map(payment => [payment.eventId, payment]))
  return valid.map(payment => byId.get(payment.event.id) ?? toCommittedPayment(payment))
}

function toCommittedPayment({ event, details, position, seq }: NumberedEvent): CommittedPayment {
  const { effect } = event
  if (effect.kind !== 'payment') throw new TypeError('only payments are committed payments')
  return {
    eventId: event.id,
    position: position.toString(),
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
    recipient: details!.recipient,
    payer: details!.payer,
    tokenMint: details!.tokenMint,
    ...(event.trackingId === null && effect.memo !== undefined && { memo: effect.memo }),
  }
}

/** What the batch made known. The first Created event of a policy names what its life-cycle messages may wait for. */
function knownBy({ identified, folded, recomputed }: BatchDifferences): BatchKnown {
  const { head, finalizedSlot, finalEvents } = identified
  const named = folded.events.flatMap(({ event: { effect } }) =>
    effect.kind === 'policy-created' ? [effect.policy] : [],
  )
  return {
    finalizedSlot: finalizedSlot > head.finalizedSlot ? finalizedSlot : null,
    finalEvents,
    payments: recomputed.changed,
    policies: [...named, ...recomputed.policies.map(({ after }) => after.address)],
  }
}
