// What recomputing policies reads, and writes in the end.
import { policyOutcome, type ChainEvent, type PolicyState } from '@payment-tracking/domain'
import { raw, sql, type PipelinedTx, type Tx } from '../../core/database/sql.js'
import { readUserPayments } from '../../core/tables/user-payments.js'
import type { PolicySources, StoredPayment } from './derive-payments.js'
import { readPolicies, writePolicies, type FoldedPolicy } from '../../core/tables/policies.js'
import { readLatestEvents } from './read-latest-events.js'

/** Everything that recomputing some policies reads, whatever was requested. */
export async function readForRecompute(tx: Tx, policies: readonly string[], programId: string) {
  const [stored, latest] = await Promise.all([
    readPolicies(tx, policies),
    readLatestEvents(tx, policies, programId),
  ])
  const linked = [...latest.values()].flatMap(({ userPayment }) => userPayment ?? [])
  const read = await readUserPayments(tx, [...new Set(linked)])
  const accounts = new Map(read.map(account => [account.address, account]))
  return {
    before: new Map(stored.map(policy => [policy.state.address, policy])),
    /** without sums; missing where no event of the policy is valid */
    latest,
    sourcesOf: (address: string): PolicySources => {
      const policy = latest.get(address) ?? null
      return { policy, account: policy?.userPayment ? (accounts.get(policy.userPayment) ?? null) : null }
    },
  }
}

export type RecomputeRows = Awaited<ReturnType<typeof readForRecompute>>

/** The first Created event of a policy names the user payment of all its payments, and the last one takes it away. */
export const isLinked = (state: PolicyState | null | undefined): boolean =>
  (state?.userPayment ?? null) !== null

/** A policy all of whose payments are derived and counted. */
export interface WholePolicy {
  address: string
  before: FoldedPolicy['before']
  after: PolicyState
  /** those of this page */
  payments: readonly StoredPayment[]
}

/**
 * Writes policies after a recompute. A policy of which no event is valid has no row.
 *
 * policy_notices and risk_notices name an incarnation by the order of its Created event. When that event gets another position, the
 * notices get the new order, so that nobody is notified of a date or a risk again. An order ends with the id of its event.
 * SQL: joins tables.
 * @param eventsOf what happened to a policy since its row was written
 */
export function writeRecomputed(
  tx: PipelinedTx,
  whole: readonly WholePolicy[],
  eventsOf: (policy: WholePolicy) => ChainEvent[],
): FoldedPolicy[] {
  if (whole.length === 0) return []
  const folded = whole.map(policy => {
    const { before, after } = policy
    return { before, after, outcome: policyOutcome(after), events: eventsOf(policy) }
  })
  const [gone, kept] = [folded.filter(isGone), folded.filter(policy => !isGone(policy))]
  if (gone.length > 0) {
    const where = { address: { in: gone.map(({ after }) => after.address) } }
    tx.sendModel(client => client.policy.deleteMany({ where }))
  }
  writePolicies(tx, kept)
  for (const notices of [raw('policy_notices'), raw('risk_notices')])
    tx.send(sql`
      update ${notices} n set incarnation_start = p.incarnation_start
        from policies p
       where p.address = any(${kept.map(({ after }) => after.address)}::text[]) and n.policy = p.address
         and n.incarnation_start <> p.incarnation_start and right(n.incarnation_start, 32) = right(p.incarnation_start, 32)`)
  return folded
}

const isGone = ({ after }: FoldedPolicy): boolean =>
  (after.incarnationStart ?? after.deletedOrder ?? after.statusOrder ?? after.lastPaymentOrder) === null
