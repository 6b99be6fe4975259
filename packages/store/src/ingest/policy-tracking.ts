// Executions of composable policies often carry no memo. Their tracking ID is the tracking ID of their policy, in the
// incarnation that the execution belongs to. If the policy is not known yet, the executions wait for the policy.
import { sql, type Tx } from '../database/sql.js'
import { orderOf, type ChainEvent } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { NewEvent } from './events.js'
import { IS_POLICY_CREATED } from '../payment-names.js'

/** An incarnation of a policy: its beginning, and the tracking ID of its payments. */
interface PolicyIncarnation {
  policy: string
  /** slot, transaction and index of the incarnation's Created event, as a prefix of its order */
  place: string
  trackingId: string | null
}

interface PlacedRow {
  id: string
  policy: string
  slot: bigint
  transaction_index: bigint
  event_index: bigint
}

/** The prefix of an order that two events can share. */
const PLACE_LENGTH = 32

const placeOfRow = (row: PlacedRow): string =>
  orderOf(
    {
      slot: Number(row.slot),
      transactionIndex: Number(row.transaction_index),
      index: Number(row.event_index),
    },
    row.id,
  ).slice(0, PLACE_LENGTH)

const placeOfEvent = ({ order }: ChainEvent): string => order.slice(0, PLACE_LENGTH)

/**
 * The stored incarnations of some policies, including retracted ones: a Created event whose transaction is repeated has
 * the same memo. Relies on events_policy_places.
 */
async function readIncarnations(tx: Tx, policies: readonly string[]): Promise<PolicyIncarnation[]> {
  const rows = await tx.$queryRaw<(PlacedRow & { tracking_id: string | null })[]>`
    select e.id, e.payment_policy as policy, e.slot, e.transaction_index, e.event_index, e.tracking_id
      from events e where e.payment_policy = any(${[...policies]}::text[]) and ${IS_POLICY_CREATED}`
  return rows.map(row => ({ policy: row.policy, place: placeOfRow(row), trackingId: row.tracking_id }))
}

const incarnationsIn = (fresh: readonly NewEvent[]): PolicyIncarnation[] =>
  fresh.flatMap(({ event }) =>
    event.effect.kind === 'policy-created'
      ? [{ policy: event.effect.policy, place: placeOfEvent(event), trackingId: event.trackingId }]
      : [],
  )

/** The incarnation of an event: the latest that began at the event's place or before. */
function incarnationAt(
  incarnations: readonly PolicyIncarnation[],
  policy: string,
  place: string,
): PolicyIncarnation | undefined {
  let latest: PolicyIncarnation | undefined
  for (const incarnation of incarnations)
    if (
      incarnation.policy === policy &&
      incarnation.place <= place &&
      (!latest || incarnation.place >= latest.place)
    )
      latest = incarnation
  return latest
}

const tracksPolicy = ({ event: { effect } }: NewEvent): boolean =>
  effect.kind === 'payment' && effect.tracksPolicy

/** A new event, and whether its tracking ID is still unknown. */
export interface TrackedEvent extends NewEvent {
  awaitsPolicy: boolean
}

/** Gives new payments the tracking ID of their policy, where the policy is known. */
export async function trackByPolicy(tx: Tx, fresh: readonly NewEvent[]): Promise<TrackedEvent[]> {
  const policies = [...new Set(fresh.filter(tracksPolicy).map(({ event }) => event.paymentPolicy!))]
  const incarnations =
    policies.length === 0 ? [] : [...(await readIncarnations(tx, policies)), ...incarnationsIn(fresh)]
  return fresh.map(each => {
    if (!tracksPolicy(each)) return { ...each, awaitsPolicy: false }
    const incarnation = incarnationAt(incarnations, each.event.paymentPolicy!, placeOfEvent(each.event))
    return incarnation
      ? { ...each, event: { ...each.event, trackingId: incarnation.trackingId }, awaitsPolicy: false }
      : { ...each, awaitsPolicy: true }
  })
}

/** A stored payment whose policy has just become known. */
export interface LatePayment {
  id: string
  trackingId: string | null
  retracted: boolean
}

/** The stored payments that waited for policies of this batch. Relies on events_awaiting_policy. */
export async function findLatePayments(tx: Tx, fresh: readonly NewEvent[]): Promise<LatePayment[]> {
  const created = incarnationsIn(fresh)
  if (created.length === 0) return []
  const policies = [...new Set(created.map(({ policy }) => policy))]
  const waiting = await tx.$queryRaw<(PlacedRow & { retracted: boolean })[]>`
    select e.id, e.payment_policy as policy, e.slot, e.transaction_index, e.event_index,
           e.retracted_at is not null as retracted
      from events e where e.awaits_policy and e.payment_policy = any(${policies}::text[]) order by e.position`
  if (waiting.length === 0) return []
  const incarnations = [...(await readIncarnations(tx, policies)), ...created]
  return waiting.flatMap(row => {
    const incarnation = incarnationAt(incarnations, row.policy, placeOfRow(row))
    return incarnation ? [{ id: row.id, trackingId: incarnation.trackingId, retracted: row.retracted }] : []
  })
}

/** Writes the tracking IDs of late payments. @param seqs by event, for payments with a tracking ID */
export function writeLatePayments(
  tx: PipelinedTx,
  late: readonly LatePayment[],
  seqs: ReadonlyMap<string, bigint>,
): void {
  if (late.length === 0) return
  tx.send(sql`
    update events e set awaits_policy = false, tracking_id = l.tracking_id, seq = l.seq
      from unnest(${late.map(({ id }) => id)}::uuid[], ${late.map(({ trackingId }) => trackingId)}::text[],
                  ${late.map(({ id }) => seqs.get(id) ?? null)}::bigint[]) as l (id, tracking_id, seq)
     where e.id = l.id`)
}
