// Events of composable policies that an earlier release stored unread, without columns.
import { sql, type Tx } from '../../database/sql.js'
import type { ChainEvent } from '@payment-tracking/domain'
import { readCommittedPayments } from '../../committed-payments.js'
import type { PipelinedTx } from '../../database/pipelined-transactions.js'
import { insertDeliveriesIn } from '../../webhooks/insert-deliveries.js'
import { recordAnnouncements } from '../announcements.js'
import type { NewEvent } from '../events.js'
import { readSaidFinal } from '../../said-final.js'
import type { LockedHead } from '../head.js'
import { findLatePayments, trackByPolicy, writeLatePayments, type TrackedEvent } from '../policy-tracking.js'
import { giveSeqs } from '../position.js'
import { addressesOf, restate } from '../restate.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../stored-events.js'
import { writeTrackingHeads } from '../trackings.js'

interface UnfilledRow extends StoredRow {
  stream_sequence: bigint
  retracted: boolean
}

/** Relies on events_name_rare. @param after id of the last event of the previous page; '' for the first page */
const readPage = (
  tx: Tx,
  { after, since, limit }: { after: string; since: bigint; limit: number },
): Promise<UnfilledRow[]> => tx.$queryRaw<UnfilledRow[]>`
  select ${STORED_COLUMNS}, e.stream_sequence, e.retracted_at is not null as retracted
    from events e
   where e.name <> 'PaymentRecord' and e.name >= 'Composable' and e.name < 'Composablf'
     and e.payment_policy is null and e.position > ${since}
     and (${after} = '' or (e.name, e.occurred_at, e.slot, e.event_index, e.id) >
          (select l.name, l.occurred_at, l.slot, l.event_index, l.id from events l
            where l.id = nullif(${after}, '')::uuid))
   order by e.name, e.occurred_at, e.slot, e.event_index, e.id limit ${limit}`

/**
 * Fills the columns of a page of composable events, as if the events came now. Their projections follow, and payments
 * get their `seq`; sockets and webhooks get these payments like payments whose policy came late. The caller holds the
 * writer lock.
 * @returns the events of the page, and the id of the last event
 */
export async function fillComposables(
  tx: PipelinedTx,
  page: { after: string; since: bigint; limit: number },
  { head, programId }: { head: LockedHead; programId: string },
): Promise<{ count: number; last: string | null }> {
  const rows = await readPage(tx, page)
  const unfilled = rows
    .map((row): NewEvent => ({
      event: readStored(row, programId),
      streamSequence: Number(row.stream_sequence),
      retracted: row.retracted,
    }))
    // Events that this release would refuse stay unchanged.
    .filter(({ event }) => event.effect.kind !== 'none')
  const tracked = await trackByPolicy(tx, unfilled)
  const late = await findLatePayments(tx, unfilled)
  const seqs = await giveSeqs(tx, new Map(), tracked, late)
  writeColumns(tx, tracked, seqs.ofFresh)
  writeLatePayments(tx, late, seqs.ofLate)
  writeTrackingHeads(tx, seqs.heads)
  const standing = tracked.filter(({ retracted }) => !retracted)
  const payments = standing.filter(({ event }) => event.effect.kind === 'payment')
  await restate(tx, addressesOf(standing.map(({ event }) => event)), {
    upTo: head.position,
    programId,
    payments: payments.flatMap(({ event: { gateway, occurredAt } }) =>
      gateway === null ? [] : [{ gateway, occurredAt }],
    ),
  })
  await tell(tx, head, [
    ...payments.filter(({ awaitsPolicy }) => !awaitsPolicy).map(({ event }) => event.id),
    ...late.filter(({ retracted }) => !retracted).map(({ id }) => id),
  ])
  return { count: rows.length, last: rows.at(-1)?.id ?? null }
}

function writeColumns(
  tx: PipelinedTx,
  events: readonly TrackedEvent[],
  seqs: readonly (bigint | null)[],
): void {
  if (events.length === 0) return
  const column = <T>(pick: (event: ChainEvent) => T): T[] => events.map(({ event }) => pick(event))
  const payment = <T>(
    pick: (effect: Extract<ChainEvent['effect'], { kind: 'payment' }>) => T,
  ): (T | null)[] => column(({ effect }) => (effect.kind === 'payment' ? pick(effect) : null))
  tx.send(sql`
    update events e
       set gateway = f.gateway, payment_policy = f.payment_policy, user_payment = f.user_payment,
           recipient = f.recipient, tracking_id = f.tracking_id, seq = f.seq, amount = f.amount, paid_at = f.paid_at,
           record_id = f.record_id, awaits_policy = f.awaits_policy
      from unnest(
        ${column(({ id }) => id)}::uuid[], ${column(({ gateway }) => gateway)}::text[],
        ${column(({ paymentPolicy }) => paymentPolicy)}::text[],
        ${column(({ userPayment }) => userPayment)}::text[], ${column(({ recipient }) => recipient)}::text[],
        ${column(({ trackingId }) => trackingId)}::text[], ${[...seqs]}::bigint[],
        ${payment(({ amount }) => amount)}::numeric[], ${payment(({ paidAt }) => paidAt)}::bigint[],
        ${payment(({ recordId }) => recordId)}::bigint[],
        ${events.map(({ awaitsPolicy }) => awaitsPolicy)}::boolean[]) as f (
        id, gateway, payment_policy, user_payment, recipient, tracking_id, seq, amount, paid_at, record_id,
        awaits_policy)
     where e.id = f.id`)
}

async function tell(tx: PipelinedTx, head: LockedHead, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const facts = await readCommittedPayments(
    statement => tx.$queryRaw(statement),
    sql`e.id = any(${[...ids]}::uuid[])`,
    sql`order by e.tracking_id, e.seq`,
  )
  const saidFinal = await readSaidFinal(tx, ids)
  await insertDeliveriesIn(
    tx,
    facts,
    undefined,
    ({ eventId, slot }) => BigInt(slot) <= head.finalizedSlot || saidFinal.has(eventId),
  )
  const followed = facts.filter(({ trackingId }) => trackingId !== null)
  await recordAnnouncements(
    tx,
    'payment',
    followed.map(({ eventId }) => eventId),
  )
}
