// What a gateway's due payments have at risk, so that a gateway with 10,000 due payments gets its sums without a row for each.
import { sql, type Store } from '../../core/database/sql.js'
import { isWaiting, isWatched, risksOf } from '../../core/risk/due-risks.js'
import { newestFact } from '../../core/risk/program-facts.js'
import { duePolicies } from './list-merchant-policies.js'
import type { StateClock } from './subscriber-state.js'

export interface SumsAtRisk {
  byToken: Map<string | null, { count: bigint; total: bigint }>
  /** the page of payments at risk, earliest first */
  page: { address: string; dueAt: bigint }[]
}

interface AtRiskRow {
  address: string | null
  dueAt: bigint | null
  mint: string | null
  count: bigint
  total: bigint
}

/**
 * Adds up the payments at risk in a span by token, and lists a page of them. It judges the next payment of each policy that
 * `listPoliciesWithDueDates` reads: at most 10,000 policies. All of it is one statement, which reads each policy and account once.
 */
export async function sumAtRisk(
  { database }: Store,
  gateway: string,
  { from, to, limit, offset }: { from: bigint; to: bigint; limit: number; offset: number },
  { programId, clock }: { programId: string; clock: StateClock },
): Promise<SumsAtRisk> {
  const asked = sql`${duePolicies(gateway, clock)} and ${isWaiting(sql`p`)} and ${isWatched(sql`p`)}
       and p.due_at >= ${from} and p.due_at < ${to}`
  const gatewayFee = { ofAll: newestFact('fee_recipient', sql`${gateway}`) }
  const rows = await database.read<AtRiskRow>(sql`
    with ${risksOf(asked, { programId, gatewayFee })}, risky as materialized (
      select r.address, r.due_at, r.mint, r.amount from risk r where r.state = 'at_risk'
    )
    select null as address, null::bigint as "dueAt", mint, count(*) as count, sum(amount) as total
      from risky group by mint
    union all
    (select address, due_at, mint, 1, amount from risky
      order by due_at, address limit ${limit} offset ${BigInt(offset)})`)
  const sums: SumsAtRisk = { byToken: new Map(), page: [] }
  for (const { address, dueAt, mint, count, total } of rows)
    if (address === null || dueAt === null) sums.byToken.set(mint, { count, total })
    else sums.page.push({ address, dueAt })
  return sums
}
