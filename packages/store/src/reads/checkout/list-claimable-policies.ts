import { accountsOf, policiesOfWallet } from '../lists/policies-of-wallet.js'
import { allOf, sql, type Store } from '../../core/database/sql.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'
import { NEWEST_FIRST } from '../lists/newest-policies.js'
import { SUBSCRIPTION_COLUMNS, type StoredSubscription } from '../lists/list-subscriptions.js'

/** The conditions of a token request; all given conditions must hold. */
export interface ClaimFilter {
  wallet?: string | undefined
  recipient?: string | undefined
  trackingId?: string | undefined
  tokenMint?: string | undefined
  policyAddress?: string | undefined
}

/**
 * Living policies that are not paused and whose owner is known, newest first by (creation, address).
 * By a wallet alone, looks at 10,000 policies (`policiesOfWallet`).
 * Relies on the indexes of user payments by owner and of policies by user payment, tracking ID or key.
 * @param policies only these, besides the filter
 */
export async function listClaimablePolicies(
  { database }: Store,
  filter: ClaimFilter & { policies?: readonly string[] | undefined },
  limit: number,
): Promise<readonly StoredSubscription[]> {
  const conditions = [sql`p.live`, sql`p.status <> 'paused'`, sql`u.owner is not null`]
  if (filter.wallet !== undefined) {
    conditions.push(sql`p.user_payment = any(array(${accountsOf(filter.wallet)}))`)
  }
  if (filter.recipient !== undefined) conditions.push(sql`p.recipient = ${filter.recipient}`)
  if (filter.trackingId !== undefined) conditions.push(sql`p.tracking_id = ${filter.trackingId}`)
  if (filter.tokenMint !== undefined) conditions.push(sql`${POLICY_MINT} = ${filter.tokenMint}`)
  if (filter.policyAddress !== undefined) conditions.push(sql`p.address = ${filter.policyAddress}`)
  if (filter.policies !== undefined) conditions.push(sql`p.address = any(${[...filter.policies]}::text[])`)
  const isByWallet =
    filter.wallet !== undefined &&
    (filter.trackingId ?? filter.policyAddress ?? filter.recipient ?? filter.policies) === undefined
  const source = isByWallet ? sql`(${policiesOfWallet(filter.wallet!, sql`q.live`)})` : sql`policies`
  return database.read<StoredSubscription>(sql`
    select ${SUBSCRIPTION_COLUMNS}
      from ${source} p ${WITH_USER_PAYMENT}
     where ${allOf(conditions)} ${NEWEST_FIRST} limit ${limit}`)
}
