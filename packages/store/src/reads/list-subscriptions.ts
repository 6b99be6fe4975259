import type { PolicyFamily } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import type { SubscriptionKey } from './cursor.js'
import { allOf } from './event-filter.js'

/** All given filters must hold. */
export interface SubscriptionFilter {
  trackingId?: string | undefined
  /** an owner's wallet or a user payment address */
  userPublicKey?: string | undefined
  gateway?: string | undefined
  /** the user payment address of a wallet and mint */
  userPayment?: string | undefined
  recipient?: string | undefined
  address?: string | undefined
  family?: PolicyFamily | undefined
}

/** A living policy. Amounts are exact. */
export interface StoredSubscription {
  address: string
  userPayment: string
  recipient: string
  gateway: string
  policyId: number
  /** the tagged policy type as JSON text, as at the policy's creation */
  policyType: string
  trackingId: string | null
  totalPaid: bigint
  paymentCount: number
  createdAt: number
  /** Unix seconds; a payment's own time can be any i64 */
  updatedAt: bigint
  status: string
  nextPaymentDue: bigint | null
  /** what a payment is due at, and the end, as `policyDates` brings them into bounds */
  dueAt: bigint | null
  endsAt: bigint | null
  family: string
  /** only for a pay-as-you-go policy */
  periodStart: bigint | null
  periodTotal: bigint | null
  tokenMint: string | null
  walletPublicKey: string | null
  /** the paying account was closed and not opened again */
  userPaymentDeleted: boolean
}

export interface PolicyRow {
  address: string
  user_payment: string
  recipient: string
  gateway: string
  policy_id: bigint
  policy_type: string
  tracking_id: string | null
  total_paid: string
  payment_count: bigint
  created_at: bigint
  updated_at: bigint
  status: string
  next_payment_due: bigint | null
  due_at: bigint | null
  ends_at: bigint | null
  family: string
  period_start: bigint | null
  period_total: string | null
  token_mint: string | null
  owner: string | null
  user_payment_deleted: boolean
}

/** A policy `p` as `toSubscription` reads it, with `u` of `WITH_USER_PAYMENT`. */
export const POLICY_COLUMNS = sql`
  p.address, p.user_payment, p.recipient, p.gateway, p.policy_id, p.policy_type::text as policy_type,
  p.tracking_id, p.total_paid::text as total_paid, p.payment_count, p.created_at, p.updated_at,
  p.status, p.next_payment_due, p.due_at, p.ends_at, p.family, p.period_start, p.period_total::text as period_total,
  coalesce(p.token_mint, u.token_mint) as token_mint, u.owner,
  coalesce(u.deleted_order > coalesce(u.life_start, ''), false) as user_payment_deleted`

/** The owner and mint of a policy: one probe of user_payments for each policy. */
export const WITH_USER_PAYMENT = sql`left join user_payments u on u.address = p.user_payment`

/**
 * Living policies, newest first by (creation, address).
 * Relies on the index of policies by the filter's column and this order, then one probe of user_payments a row.
 */
export async function listSubscriptions(
  { database }: Store,
  filter: SubscriptionFilter,
  page: { limit: number; after?: SubscriptionKey | undefined },
): Promise<StoredSubscription[]> {
  const conditions = [sql`p.live`]
  if (filter.trackingId !== undefined) conditions.push(sql`p.tracking_id = ${filter.trackingId}`)
  if (filter.gateway !== undefined) conditions.push(sql`p.gateway = ${filter.gateway}`)
  if (filter.recipient !== undefined) conditions.push(sql`p.recipient = ${filter.recipient}`)
  if (filter.address !== undefined) conditions.push(sql`p.address = ${filter.address}`)
  if (filter.family !== undefined) conditions.push(sql`p.family = ${filter.family}`)
  if (filter.userPayment !== undefined) conditions.push(sql`p.user_payment = ${filter.userPayment}`)
  if (filter.userPublicKey !== undefined) {
    conditions.push(sql`p.user_payment = any(array(
      select ${filter.userPublicKey} union all
      select address from user_payments where owner = ${filter.userPublicKey}))`)
  }
  if (page.after) {
    const { createdAt, address } = page.after
    conditions.push(sql`(p.created_at, p.address) < (${BigInt(createdAt)}, ${address})`)
  }
  // A tracking ID has few policies.
  const ask = filter.trackingId === undefined ? database.read : database.lookUp
  const rows = await ask<PolicyRow>(sql`
    select ${POLICY_COLUMNS}
      from policies p ${WITH_USER_PAYMENT}
     where ${allOf(conditions)}
     order by p.created_at desc, p.address desc
     limit ${page.limit}`)
  return rows.map(toSubscription)
}

export function toSubscription(row: PolicyRow): StoredSubscription {
  return {
    address: row.address,
    userPayment: row.user_payment,
    recipient: row.recipient,
    gateway: row.gateway,
    policyId: Number(row.policy_id),
    policyType: row.policy_type,
    trackingId: row.tracking_id,
    totalPaid: BigInt(row.total_paid),
    paymentCount: Number(row.payment_count),
    createdAt: Number(row.created_at),
    updatedAt: row.updated_at,
    status: row.status,
    nextPaymentDue: row.next_payment_due,
    dueAt: row.due_at,
    endsAt: row.ends_at,
    family: row.family,
    periodStart: row.period_start,
    periodTotal: row.period_total === null ? null : BigInt(row.period_total),
    tokenMint: row.token_mint,
    walletPublicKey: row.owner,
    userPaymentDeleted: row.user_payment_deleted,
  }
}
