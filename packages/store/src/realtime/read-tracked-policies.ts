import { dueNoticeOf, type PolicyFamily, type TrackedPolicy } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

interface Row {
  address: string
  life_start: string
  deleted_order: string | null
  status_order: string | null
  last_payment_order: string | null
  changed_status: string | null
  live: boolean
  status: string | null
  family: PolicyFamily
  policy_id: bigint | null
  gateway: string
  recipient: string | null
  tracking_id: string | null
  token_mint: string | null
  owner: string | null
  payment_count: bigint
  total_paid: string
  next_payment_due: bigint | null
  due_at: bigint | null
  ends_at: bigint | null
  now: bigint
}

/**
 * Living policies of some tracking IDs, and some policies by address whether they live or not.
 * Relies on policies_tracking_live and the primary key.
 * @throws StoreUnavailableError
 */
export async function readTrackedPolicies(
  { database }: Store,
  asked: {
    trackingIds: readonly string[]
    addresses: readonly string[]
    soonSeconds: number
    graceSeconds: number
  },
): Promise<TrackedPolicy[]> {
  const trackingIds = [...asked.trackingIds]
  const rows = await database.read<Row>(sql`
    select p.address, p.life_start, p.deleted_order, p.status_order, p.last_payment_order, p.changed_status, p.live,
           p.status, p.family, p.policy_id, p.gateway, p.recipient, p.tracking_id,
           coalesce(p.token_mint, u.token_mint) as token_mint, u.owner, p.payment_count,
           p.total_paid::text as total_paid, p.next_payment_due,
           p.due_at, p.ends_at, floor(extract(epoch from clock_timestamp()))::bigint as now
      from (select * from policies where tracking_id = any(${trackingIds}::text[]) and live
            union all
            select * from policies
             where address = any(${[...asked.addresses]}::text[])
               and (live and tracking_id = any(${trackingIds}::text[])) is not true) p
      left join user_payments u on u.address = p.user_payment
     where p.life_start is not null and p.gateway is not null`)
  return rows.map(row => ({
    address: row.address,
    incarnationStart: row.life_start,
    deletedOrder: row.deleted_order,
    statusOrder: row.status_order,
    lastPaymentOrder: row.last_payment_order,
    changedStatus: row.changed_status,
    live: row.live,
    status: row.status,
    family: row.family,
    policyId: row.policy_id === null ? null : Number(row.policy_id),
    gateway: row.gateway,
    recipient: row.recipient,
    trackingId: row.tracking_id,
    tokenMint: row.token_mint,
    payer: row.owner,
    paymentCount: row.payment_count,
    totalPaid: BigInt(row.total_paid),
    nextPaymentDue: row.next_payment_due,
    notices: noticesOf(row, asked),
  }))
}

function noticesOf(row: Row, margins: { soonSeconds: number; graceSeconds: number }): string[] {
  const policy = { live: row.live, status: row.status, dueAt: row.due_at, endsAt: row.ends_at }
  const notice = dueNoticeOf(policy, Number(row.now), margins)
  return notice === null ? [] : [`${notice.type} ${notice.at}`]
}

/** The transactions of events. @returns by event id */
export async function readEventPlaces(
  { database }: Store,
  eventIds: readonly string[],
): Promise<Map<string, { signature: string; slot: number; occurredAt: Date }>> {
  if (eventIds.length === 0) return new Map()
  const rows = await database.read<{ id: string; signature: string; slot: bigint; occurred_at: Date }>(sql`
    select id::text as id, signature, slot, occurred_at from events where id = any(${[...eventIds]}::uuid[])`)
  return new Map(
    rows.map(row => [
      row.id,
      { signature: row.signature, slot: Number(row.slot), occurredAt: row.occurred_at },
    ]),
  )
}
