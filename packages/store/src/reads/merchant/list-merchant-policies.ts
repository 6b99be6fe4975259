import { inline, sql, type Sql, type Store } from '../../core/database/sql.js'
import type { PolicyKey } from '../cursors.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'
import { isActive, type StateClock } from './subscriber-state.js'
import { SUBSCRIPTION_COLUMNS, type StoredSubscription } from '../lists/list-subscriptions.js'
import { NEWEST_FIRST, newestOfGateway } from '../lists/newest-policies.js'

/** A policy of a gateway, including deleted policies. */
export interface MerchantPolicy extends StoredSubscription {
  live: boolean
  /** `data.timestamp` of the last payment of this incarnation, Unix seconds */
  lastPaidAt: bigint | null
}

/**
 * Policies of a gateway, including deleted policies, newest first by (creation, address).
 * Relies on policies_gateway_live and policies_gateway_gone, each read backwards, and for an offset nothing but these: an
 * offset of 300,000 reads as many entries of an index, and only the page's rows. A cursor costs the same on any page.
 */
export async function listMerchantPolicies(
  { database }: Store,
  gateway: string,
  page: { limit: number; offset: number; after?: PolicyKey | undefined },
): Promise<readonly MerchantPolicy[]> {
  const { after } = page
  const keys = { after, limit: page.limit + page.offset, columns: sql`p.address, p.created_at` }
  return database.read<MerchantPolicy>(sql`
    select ${SUBSCRIPTION_COLUMNS}, p.live, case when p.payment_count > 0 then p.last_paid_at end as "lastPaidAt"
      from (select k.address
              from (${newestOfGateway(gateway, sql`p.live`, keys)}
                    union all ${newestOfGateway(gateway, sql`not p.live`, keys)}) k
             where k.created_at is not null
             order by k.created_at desc, k.address desc
             limit ${page.limit} offset ${BigInt(page.offset)}) k
      join policies p on p.address = k.address ${WITH_USER_PAYMENT} ${NEWEST_FIRST}`)
}

export async function countMerchantPolicies({ database }: Store, gateway: string): Promise<bigint> {
  const rows = await database.read<{ count: bigint }>(sql`
    select (select count(*) from policies where gateway = ${gateway} and live)
         + (select count(*) from policies where gateway = ${gateway} and not live) as count`)
  return rows[0]!.count
}

/** A living policy that waits for payments. */
export interface PolicyWithDueDates {
  address: string
  recipient: string
  policyType: string
  trackingId: string | null
  paymentCount: bigint
  /** Unix seconds */
  createdAt: bigint
  nextPaymentDue: bigint | null
  /** the next due date, as `policyDates` brings it into bounds */
  dueAt: bigint | null
  tokenMint: string | null
  wallet: string | null
}

/** Living policies of which one answer lists due dates, and judges their risks: the newest. */
export const MOST_DUE_POLICIES = 10_000

const waitsForPayments = (clock: StateClock): Sql => sql`
  ${isActive(clock)} and (p.policy_type::text like '{"Subscription"%' or p.policy_type::text like '{"OneTime"%')`

/** The newest policies `p` that wait for payments with their user payments `u`: what follows `from`. */
export const duePolicies = (gateway: string, clock: StateClock): Sql => sql`
  ${newestOfGateway(gateway, sql`p.live`, { limit: inline(MOST_DUE_POLICIES) })} p ${WITH_USER_PAYMENT}
     where ${waitsForPayments(clock)}`

/** Living policies of a page of `listPoliciesWithDueDates`; those that do not wait for payments are left out. */
const POLICIES_AT_ONCE = 2_500

/** A page of the policies that wait for payments, the newest first. */
export interface DuePolicyPage {
  policies: PolicyWithDueDates[]
  /** living policies that were looked at */
  looked: number
  /** null when these are the last */
  next: PolicyKey | null
}

/**
 * Living policies of a gateway that wait for payments: subscriptions and one-time policies.
 * Relies on policies_gateway_live, then one probe of user_payments for each policy.
 */
export async function listPoliciesWithDueDates(
  { database }: Store,
  gateway: string,
  clock: StateClock,
  after: DuePolicyPage['next'] = null,
): Promise<DuePolicyPage> {
  const rows = await database.read<PolicyWithDueDates & { waits: boolean }>(sql`
    select p.address, p.recipient, p.policy_type::text as "policyType", p.tracking_id as "trackingId",
           p.payment_count as "paymentCount", p.created_at as "createdAt", p.next_payment_due as "nextPaymentDue",
           p.due_at as "dueAt", ${POLICY_MINT} as "tokenMint", u.owner as wallet, ${waitsForPayments(clock)} as waits
      from ${newestOfGateway(gateway, sql`p.live`, { after, limit: inline(POLICIES_AT_ONCE) })} p ${WITH_USER_PAYMENT}
     ${NEWEST_FIRST}`)
  return {
    policies: rows.filter(({ waits }) => waits),
    looked: rows.length,
    next: rows.length < POLICIES_AT_ONCE ? null : rows.at(-1)!,
  }
}
