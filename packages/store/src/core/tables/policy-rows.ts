// The columns of policies that several reads select: of a policy `p` with its user payment `u`.
import type { LifecyclePolicy } from '@payment-tracking/domain'
import { sql, type Sql, type Tx } from '../database/sql.js'

/** The owner and mint of a policy: one probe of user_payments for each policy. */
export const WITH_USER_PAYMENT = sql`left join user_payments u on u.address = p.user_payment`

/** A composable policy names its token itself. */
export const POLICY_MINT = sql`coalesce(p.token_mint, u.token_mint)`

/** What messages say of a policy: a `LifecycleRow`. */
export const LIFECYCLE_COLUMNS = sql`
  p.address, p.incarnation_start as "incarnationStart", p.family, p.policy_id::float8 as "policyId", p.gateway, p.recipient,
  p.tracking_id as "trackingId", ${POLICY_MINT} as "tokenMint", u.owner as payer, p.status,
  p.payment_count as "paymentCount", p.total_paid::text as "totalPaid", p.next_payment_due as "nextPaymentDue"`

export interface LifecycleRow extends Omit<LifecyclePolicy, 'totalPaid'> {
  totalPaid: string
}

export const toLifecyclePolicy = <Row extends LifecycleRow>(row: Row) => ({
  ...row,
  totalPaid: BigInt(row.totalPaid),
})

/** What messages say of some policies with a valid Created event, in the order of their addresses. @param more columns after theirs */
export async function readLifecyclePolicies<More>(tx: Tx, addresses: readonly string[], more: Sql) {
  if (addresses.length === 0) return []
  const rows = await tx.$queryRaw<(LifecycleRow & More)[]>`
    select ${LIFECYCLE_COLUMNS}, ${more} from policies p ${WITH_USER_PAYMENT}
     where p.address = any(${[...addresses]}::text[]) and p.incarnation_start is not null and p.gateway is not null
     order by p.address`
  return rows.map(toLifecyclePolicy)
}
