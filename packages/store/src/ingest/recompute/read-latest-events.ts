// What the latest valid events of addresses say, read from the events by index: one probe for each kind of event.
import {
  applyToPolicy,
  compareForFold,
  emptyPolicy,
  orderOf,
  type ChainEvent,
  type PolicyState,
} from '@payment-tracking/domain'
import { bigints, sql, type Sql, type Tx } from '../../core/database/sql.js'
import { CHANGED } from './derive-payments.js'
import { OF_POLICY, POLICY_EVENTS } from '../../core/tables/payment-names.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../core/tables/stored-events.js'

const LATEST = sql`order by e.slot desc, e.transaction_index desc, e.event_index desc, e.id desc limit 1`

/**
 * The states of policies without the sums over their payments: a fold of the latest Created, Deleted and status change,
 * and of the latest payment. Relies on events_changes and events_policy_payments.
 * @returns by address; policies without valid events are missing
 */
export async function readLatestEvents(
  tx: Tx,
  policies: readonly string[],
  programId: string,
): Promise<Map<string, PolicyState>> {
  const [changes, payments] = await Promise.all([
    readLatestChanges(tx, policies, POLICY_EVENTS),
    tx.$queryRaw<StoredRow[]>(
      latestOf(policies, sql`e.payment_policy = a.address and ${OF_POLICY}`, ['payment']),
    ),
  ])
  const states = new Map<string, PolicyState>()
  const events = changes.map(row => ({ event: readStored(row, programId) }))
  for (const { event } of inFoldOrder(events)) {
    const address = event.paymentPolicy!
    states.set(address, applyToPolicy(states.get(address) ?? emptyPolicy(address), event))
  }
  for (const row of payments) {
    const event = readStored(row, programId)
    const { effect } = event
    if (effect.kind !== 'payment') continue
    const state = states.get(effect.policy) ?? emptyPolicy(effect.policy)
    const lastPaymentOrder = orderOf(event, event.id)
    states.set(effect.policy, { ...state, lastPaymentOrder, lastPaidAt: effect.paidAt })
  }
  return states
}

/** The latest valid event of each name of each address. Relies on events_changes. */
export const readLatestChanges = (
  tx: Tx,
  addresses: readonly string[],
  names: readonly string[],
): Promise<StoredRow[]> =>
  tx.$queryRaw<StoredRow[]>(latestOf(addresses, sql`${CHANGED} = a.address and e.name = k.name`, names))

const latestOf = (addresses: readonly string[], condition: Sql, names: readonly string[]): Sql => sql`
  select ${STORED_COLUMNS} from unnest(${[...addresses]}::text[]) as a (address)
   cross join unnest(${[...names]}::text[]) as k (name)
   cross join lateral (select * from events e where ${condition} and e.retracted_at is null ${LATEST}) e`

/**
 * Events of some policies beside their payments that came after a position of each, by policy. Relies on events_changes.
 * @param limit the most events of a policy
 */
export async function readChangesSince(
  tx: Tx,
  since: readonly { policy: string; position: bigint }[],
  { limit, programId }: { limit: number; programId: string },
): Promise<Map<string, ChainEvent[]>> {
  const changes = new Map<string, ChainEvent[]>()
  if (since.length === 0) return changes
  const rows = await tx.$queryRaw<StoredRow[]>(sql`
    select ${STORED_COLUMNS}
      from unnest(${since.map(({ policy }) => policy)}::text[], ${bigints(since.map(({ position }) => position))}) as a (address, since)
     cross join lateral (
       select * from events e
        where ${CHANGED} = a.address and e.name = any(${POLICY_EVENTS}::text[])
          and e.retracted_at is null and e.position > a.since
        order by e.position limit ${limit}) e
     order by e.position`)
  for (const row of rows) {
    const event = readStored(row, programId)
    const of = changes.get(event.paymentPolicy!)
    if (of) of.push(event)
    else changes.set(event.paymentPolicy!, [event])
  }
  return changes
}

/** Most batches come in chain order. */
export function inFoldOrder<E extends { event: ChainEvent }>(events: readonly E[]): readonly E[] {
  const compare = (a: E, b: E) => compareForFold(a.event, b.event)
  const isSorted = events.every((event, at) => at === 0 || compare(events[at - 1]!, event) < 0)
  return isSorted ? events : [...events].sort(compare)
}
