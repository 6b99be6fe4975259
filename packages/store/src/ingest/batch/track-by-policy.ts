// Executions of composable policies often carry no memo. Their tracking ID is that of their policy's Created event at
// their chain position. A new execution that cannot be appended finds it here, before the payments of the batch are counted.
import { bigints, sql, type Tx } from '../../core/database/sql.js'
import { latestCreated } from '../recompute/derive-payments.js'
import { chainPositionOf } from '../recompute/chain-positions.js'
import type { FoldedEvent } from './fold.js'

/** A Created event: what its policy's payments from its chain position on are tracked by. */
interface Tracked {
  chainPosition: string
  trackingId: string | null
}

/**
 * Gives new payments that await their policy its tracking ID, where a Created event is stored or in the batch; retracted
 * ones count, because the same transaction has the same memo when it is repeated. Most batches cost no statement. Relies
 * on events_changes, one probe a payment.
 */
export async function trackByPolicy(tx: Tx, folded: readonly FoldedEvent[]): Promise<FoldedEvent[]> {
  const awaiting = folded.filter(({ awaitsPolicy }) => awaitsPolicy)
  if (awaiting.length === 0) return [...folded]
  const stored = await readTracked(tx, awaiting)
  const created = folded.flatMap(({ event }): (Tracked & { policy: string })[] => {
    const { effect, trackingId } = event
    return effect.kind === 'policy-created'
      ? [{ policy: effect.policy, chainPosition: chainPositionOf(event.order), trackingId }]
      : []
  })
  return folded.map(each => {
    if (!each.awaitsPolicy) return each
    const { event } = each
    const chainPosition = chainPositionOf(event.order)
    const inBatch = created.filter(
      other => other.policy === event.paymentPolicy && other.chainPosition <= chainPosition,
    )
    const known: Tracked[] = [...inBatch, ...(stored.get(event.id) ?? [])]
    if (known.length === 0) return each
    const tracked = known.reduce((a, b) => (a.chainPosition > b.chainPosition ? a : b))
    return { ...each, event: { ...event, trackingId: tracked.trackingId }, awaitsPolicy: false }
  })
}

interface TrackedRow {
  id: string
  chainPosition: string
  trackingId: string | null
}

async function readTracked(tx: Tx, awaiting: readonly FoldedEvent[]): Promise<Map<string, Tracked[]>> {
  const events = awaiting.map(({ event }) => event)
  const rows = await tx.$queryRaw<TrackedRow[]>(sql`
    select p.id, c.tracking_id as "trackingId",
           lpad(to_hex(c.slot), 16, '0') || lpad(to_hex(c.transaction_index), 8, '0') ||
           lpad(to_hex(c.event_index), 8, '0') as "chainPosition"
      from unnest(
             ${events.map(({ id }) => id)}::uuid[], ${events.map(({ paymentPolicy }) => paymentPolicy)}::text[],
             ${bigints(events.map(({ slot }) => slot))},
             ${bigints(events.map(({ transactionIndex }) => transactionIndex))},
             ${bigints(events.map(({ index }) => index))}, ${events.map(({ name }) => name)}::text[])
             as p (id, payment_policy, slot, transaction_index, event_index, name)
     cross join ${latestCreated(sql`p`, sql`c.tracking_id, c.slot, c.transaction_index, c.event_index`)} c`)
  return new Map(rows.map(({ id, ...tracked }) => [id, [tracked]]))
}
