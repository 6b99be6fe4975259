import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import type { SubscriptionKey } from '../reads/cursor.js'
import {
  POLICY_COLUMNS,
  toSubscription,
  WITH_USER_PAYMENT,
  type PolicyRow,
} from '../reads/list-subscriptions.js'
import type { StoredSubscription } from '../reads/list-subscriptions.js'

/** A policy of a gateway, including deleted policies. */
export interface MerchantPolicy extends StoredSubscription {
  live: boolean
  /** `data.timestamp` of the last payment of this incarnation, Unix seconds */
  lastPaidAt: bigint | null
}

interface MerchantRow extends PolicyRow {
  live: boolean
  last_paid_at: bigint | null
}

const COLUMNS = sql`${POLICY_COLUMNS}, p.live, case when p.payment_count > 0 then p.last_paid_at end as last_paid_at`

const toPolicy = (row: MerchantRow): MerchantPolicy => ({
  ...toSubscription(row),
  live: row.live,
  lastPaidAt: row.last_paid_at,
})

const ofGateway = (gateway: string, live: Sql, after: SubscriptionKey | undefined, limit: number): Sql => sql`
  (select * from policies p
    where p.gateway = ${gateway} and ${live}
      ${after ? sql`and (p.created_at, p.address) < (${BigInt(after.createdAt)}, ${after.address})` : sql``}
    order by p.created_at desc, p.address desc limit ${limit})`

/**
 * Policies of a gateway, including deleted policies, newest first by (creation, address).
 * Relies on policies_gateway_live and policies_gateway_gone, each read backwards.
 */
export async function listMerchantPolicies(
  { database }: Store,
  gateway: string,
  page: { limit: number; offset: number; after?: SubscriptionKey | undefined },
): Promise<MerchantPolicy[]> {
  const most = page.limit + page.offset
  const rows = await database.read<MerchantRow>(sql`
    select ${COLUMNS}
      from (${ofGateway(gateway, sql`p.live`, page.after, most)}
            union all ${ofGateway(gateway, sql`not p.live`, page.after, most)}) p ${WITH_USER_PAYMENT}
     where p.created_at is not null
     order by p.created_at desc, p.address desc
     limit ${page.limit} offset ${BigInt(page.offset)}`)
  return rows.map(toPolicy)
}

export async function countMerchantPolicies({ database }: Store, gateway: string): Promise<bigint> {
  const rows = await database.read<{ count: bigint }>(sql`
    select (select count(*) from policies where gateway = ${gateway} and live)
         + (select count(*) from policies where gateway = ${gateway} and not live) as count`)
  return rows[0]!.count
}

/** Living policies of a gateway that wait for payments: subscriptions and one-time policies. */
export async function listPoliciesWithDueDates(
  { database }: Store,
  gateway: string,
): Promise<MerchantPolicy[]> {
  const rows = await database.read<MerchantRow>(sql`
    select ${COLUMNS}
      from policies p ${WITH_USER_PAYMENT}
     where p.gateway = ${gateway} and p.live and p.status = 'active'
       and (p.policy_type::text like '{"Subscription"%' or p.policy_type::text like '{"OneTime"%')`)
  return rows.map(toPolicy)
}

/** Subscriptions of a gateway, grouped by their common fields. */
export interface SubscriptionGroup {
  tokenMint: string | null
  status: string
  /** the frequency as JSON text, such as `{"Monthly":null}` */
  frequency: string
  count: bigint
  /** sum of their amounts */
  amount: bigint
}

/** Relies on policies_gateway_live; every living subscription of the gateway is read. */
export async function groupSubscriptions({ database }: Store, gateway: string): Promise<SubscriptionGroup[]> {
  const rows = await database.read<Omit<SubscriptionGroup, 'amount'> & { amount: string }>(sql`
    select coalesce(p.token_mint, u.token_mint) as "tokenMint", p.status,
           p.policy_type -> 'Subscription' ->> 'payment_frequency' as frequency,
           count(*) as count, sum((p.policy_type -> 'Subscription' ->> 'amount')::numeric)::text as amount
      from policies p ${WITH_USER_PAYMENT}
     where p.gateway = ${gateway} and p.live and p.policy_type::text like '{"Subscription"%'
     group by 1, 2, 3`)
  return rows.map(row => ({ ...row, amount: BigInt(row.amount) }))
}
