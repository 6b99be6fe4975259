// What a customer owes next, and why it may not come.
import type { DueRisk } from '@payment-tracking/domain'
import { UNWATCHED } from '@payment-tracking/domain'
import { sql, type Store } from '../../core/database/sql.js'
import { amountOf, findDueRisks } from '../../core/risk/due-risks.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'

export interface CustomerDue {
  policyAddress: string
  /** Unix seconds */
  dueAt: bigint
  recipient: string | null
  tokenMint: string | null
  /** of one payment, smallest token unit */
  amount: bigint | null
  risk: DueRisk
}

/** Policies of one statement. */
const POLICIES_AT_ONCE = 1_000

/**
 * What policies owe next, by their address. One probe of the primary keys for each.
 * @param addresses of policies that wait for a payment
 */
export async function readCustomerDues(
  store: Store,
  addresses: readonly string[],
  programId: string,
): Promise<ReadonlyMap<string, CustomerDue>> {
  const risks = await findDueRisks(store, addresses, programId)
  const dues = new Map<string, CustomerDue>()
  for (let from = 0; from < addresses.length; from += POLICIES_AT_ONCE) {
    const rows = await store.database.read<Omit<CustomerDue, 'risk'>>(sql`
      select p.address as "policyAddress", p.due_at as "dueAt", p.recipient, ${POLICY_MINT} as "tokenMint",
             ${amountOf(sql`p`)} as amount
        from policies p ${WITH_USER_PAYMENT}
       where p.address = any(${addresses.slice(from, from + POLICIES_AT_ONCE)}::text[]) and p.due_at is not null`)
    for (const due of rows)
      dues.set(due.policyAddress, { ...due, risk: risks.get(due.policyAddress) ?? UNWATCHED })
  }
  return dues
}

/** Of a customer's payments the one that is at risk, or else the earliest. @param addresses of the policies, the earliest due first */
export function dueOf(
  addresses: readonly string[],
  dues: ReadonlyMap<string, CustomerDue>,
): CustomerDue | null {
  const own = addresses.flatMap(address => dues.get(address) ?? [])
  return own.find(({ risk }) => risk.state === 'at_risk') ?? own[0] ?? null
}
