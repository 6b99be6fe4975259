import { placeOf, policyOutcome, type PolicyState } from '@payment-tracking/domain'
import { Prisma } from '../generated/client.js'
import type { Sql } from '../store.js'
import type { WriteTx } from '../writer.js'

interface PolicyRow {
  address: string
  user_payment: string | null
  policy_id: bigint | null
  life_start: string | null
  deleted_order: string | null
  gateway: string | null
  recipient: string | null
  tracking_id: string | null
  policy_type: string | null
  created_at: bigint | null
  payment_count: bigint
  total_paid: string
  last_payment_order: string | null
  last_paid_at: bigint | null
  status_order: string | null
  status_at: bigint | null
  changed_status: string | null
}

/** The policies of `addresses` that any event has named. */
export async function readPolicies(sql: Sql, addresses: readonly string[]): Promise<PolicyState[]> {
  if (addresses.length === 0) return []
  const rows = await sql.$queryRaw<PolicyRow[]>`
    select address, user_payment, policy_id, life_start, deleted_order, gateway, recipient, tracking_id,
           policy_type::text as policy_type, created_at, payment_count, total_paid::text as total_paid,
           last_payment_order, last_paid_at, status_order, status_at, changed_status
      from policies where address = any(${addresses}::text[])`
  return rows.map(row => ({
    address: row.address,
    userPayment: row.user_payment,
    policyId: row.policy_id === null ? null : Number(row.policy_id),
    lifeStart: row.life_start,
    deletedOrder: row.deleted_order,
    gateway: row.gateway,
    recipient: row.recipient,
    trackingId: row.tracking_id,
    policyType: row.policy_type,
    createdAt: row.created_at,
    paymentCount: row.payment_count,
    totalPaid: BigInt(row.total_paid),
    lastPaymentOrder: row.last_payment_order,
    lastPaidAt: row.last_paid_at,
    statusOrder: row.status_order,
    statusAt: row.status_at,
    changedStatus: row.changed_status,
  }))
}

const text = (value: bigint | number | null): string | null => (value === null ? null : value.toString())

/** Writes states with what follows from them, so that reads filter and sort without knowing the rules. */
export function writePolicies(tx: WriteTx, policies: readonly PolicyState[]): void {
  if (policies.length === 0) return
  const rows = policies.map(state => ({ ...state, ...policyOutcome(state) }))
  const column = <T>(pick: (row: (typeof rows)[number]) => T): T[] => rows.map(pick)
  tx.send(Prisma.sql`
    insert into policies (
      address, user_payment, policy_id, life_start, deleted_order, gateway, recipient, tracking_id, policy_type,
      created_at, payment_count, total_paid, last_payment_order, last_paid_at, status_order, status_at,
      changed_status, live, status, next_payment_due, updated_at)
    select * from unnest(
      ${column(row => row.address)}::text[],
      ${column(row => row.userPayment)}::text[],
      ${column(row => text(row.policyId))}::bigint[],
      ${column(row => row.lifeStart)}::text[],
      ${column(row => row.deletedOrder)}::text[],
      ${column(row => row.gateway)}::text[],
      ${column(row => row.recipient)}::text[],
      ${column(row => row.trackingId)}::text[],
      ${column(row => row.policyType)}::json[],
      ${column(row => text(row.createdAt))}::bigint[],
      ${column(row => text(row.paymentCount))}::bigint[],
      ${column(row => text(row.totalPaid))}::numeric[],
      ${column(row => row.lastPaymentOrder)}::text[],
      ${column(row => text(row.lastPaidAt))}::bigint[],
      ${column(row => row.statusOrder)}::text[],
      ${column(row => text(row.statusAt))}::bigint[],
      ${column(row => row.changedStatus)}::text[],
      ${column(row => row.live)}::boolean[],
      ${column(row => row.status)}::text[],
      ${column(row => text(row.nextPaymentDue))}::bigint[],
      ${column(row => text(row.updatedAt))}::bigint[])
    on conflict (address) do update set
      user_payment = excluded.user_payment, policy_id = excluded.policy_id,
      life_start = excluded.life_start, deleted_order = excluded.deleted_order,
      gateway = excluded.gateway, recipient = excluded.recipient, tracking_id = excluded.tracking_id,
      policy_type = excluded.policy_type, created_at = excluded.created_at,
      payment_count = excluded.payment_count, total_paid = excluded.total_paid,
      last_payment_order = excluded.last_payment_order, last_paid_at = excluded.last_paid_at,
      status_order = excluded.status_order, status_at = excluded.status_at,
      changed_status = excluded.changed_status, live = excluded.live, status = excluded.status,
      next_payment_due = excluded.next_payment_due, updated_at = excluded.updated_at`)
}

/**
 * Counts the payments of lives that have just begun, from the events themselves.
 * @param lives address → the order of the Created that begins its latest life
 * @param upTo the last position to count: a rebuild must not count what it has yet to replay
 * Reads every stored payment of these addresses through events_policy_newest; a life begins once.
 */
export async function countLifePayments(
  sql: Sql,
  lives: ReadonlyMap<string, string>,
  upTo: bigint,
): Promise<Map<string, { paymentCount: bigint; totalPaid: bigint }>> {
  if (lives.size === 0) return new Map()
  const places = [...lives.values()].map(placeOf)
  const rows = await sql.$queryRaw<{ address: string; count: bigint; total: string }[]>`
    select l.address, count(*) as count, coalesce(sum(e.amount), 0)::text as total
      from unnest(
        ${[...lives.keys()]}::text[], ${places.map(({ slot }) => slot.toString())}::bigint[],
        ${places.map(({ index }) => index.toString())}::bigint[]) as l (address, slot, event_index)
      join events e on e.payment_policy = l.address and e.name = 'PaymentRecord' and e.position <= ${upTo}
       and (e.slot, e.event_index) >= (l.slot, l.event_index)
     group by l.address`
  return new Map(rows.map(row => [row.address, { paymentCount: row.count, totalPaid: BigInt(row.total) }]))
}
