import type { PolicyFamily } from '@payment-tracking/domain'
import { allOf, sql, type Sql, type Store } from '../../core/database/sql.js'
import { isAfter, NEWEST_FIRST } from './newest-policies.js'
import { accountsOf } from './policies-of-wallet.js'
import type { PolicyKey } from '../cursors.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'

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
  /** the tracking ID, or what a memo that is none says; empty when it says nothing */
  memo: string
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

/** Of a policy `p` with its user payment `u`. */
export const SUBSCRIPTION_COLUMNS = sql`
  p.address, p.user_payment as "userPayment", p.recipient, p.gateway, p.policy_id::float8 as "policyId",
  p.policy_type::text as "policyType", p.tracking_id as "trackingId", coalesce(p.tracking_id, p.memo, '') as memo, p.total_paid as "totalPaid",
  p.payment_count::float8 as "paymentCount", p.created_at::float8 as "createdAt", p.updated_at as "updatedAt",
  p.status, p.next_payment_due as "nextPaymentDue", p.due_at as "dueAt", p.ends_at as "endsAt", p.family,
  p.period_start as "periodStart", p.period_total as "periodTotal", ${POLICY_MINT} as "tokenMint",
  u.owner as "walletPublicKey", coalesce(u.deleted_order > coalesce(u.incarnation_start, ''), false) as "userPaymentDeleted"`

/** A payment account, or a wallet's: at most 1,000. */
const ownedBy = (key: string): Sql => sql`select ${key}::text collate "C" union all (${accountsOf(key)})`

/**
 * Living policies, newest first by (creation, address). Of a wallet with more than 1,000 payment accounts, those of 1,000.
 * Relies on the index of policies by the filter's column and this order, then one probe of user_payments a row.
 */
export async function listSubscriptions(
  { database }: Store,
  filter: SubscriptionFilter,
  page: { limit: number; after?: PolicyKey | undefined },
): Promise<readonly StoredSubscription[]> {
  const conditions = [sql`p.live`]
  if (filter.trackingId !== undefined) conditions.push(sql`p.tracking_id = ${filter.trackingId}`)
  if (filter.gateway !== undefined) conditions.push(sql`p.gateway = ${filter.gateway}`)
  if (filter.recipient !== undefined) conditions.push(sql`p.recipient = ${filter.recipient}`)
  if (filter.address !== undefined) conditions.push(sql`p.address = ${filter.address}`)
  if (filter.family !== undefined) conditions.push(sql`p.family = ${filter.family}`)
  if (filter.userPayment !== undefined) conditions.push(sql`p.user_payment = ${filter.userPayment}`)
  const { trackingId, gateway, recipient, address, userPayment } = filter
  const isByOwner =
    filter.userPublicKey !== undefined &&
    (trackingId ?? gateway ?? recipient ?? address ?? userPayment) === undefined
  if (filter.userPublicKey !== undefined && !isByOwner) {
    conditions.push(sql`p.user_payment = any(array(${ownedBy(filter.userPublicKey)}))`)
  }
  const which = sql`${allOf(conditions)} ${isAfter(page.after)}`
  // Only by their owner: the newest of each payment account, so that no account costs more than a page.
  const source = isByOwner
    ? sql`(select p.* from (${ownedBy(filter.userPublicKey!)}) a (address)
            cross join lateral (
              select * from policies p where p.user_payment = a.address and ${which} ${NEWEST_FIRST} limit ${page.limit}) p)`
    : sql`policies`
  // A tracking ID has few policies.
  const ask = filter.trackingId === undefined ? database.read : database.lookUp
  return ask<StoredSubscription>(sql`
    select ${SUBSCRIPTION_COLUMNS}
      from ${source} p ${WITH_USER_PAYMENT}
     where ${which} ${NEWEST_FIRST} limit ${page.limit}`)
}
