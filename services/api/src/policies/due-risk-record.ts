// Whether the due payment of a policy can execute, as records show it.
import {
  dueStateOf,
  RISK_CAUSES,
  RISK_STATES,
  UNWATCHED,
  WATCHED_SECONDS,
  type DueRisk,
} from '@payment-tracking/domain'
import { findDueRisks, type Store } from '@payment-tracking/store/core'
import { type StoredSubscription } from '@payment-tracking/store/reads'
import { Type, type Static } from 'typebox'
import { Integer, Moment, Nullable } from '../http/fields.js'

export const DueRiskRecord = Type.Object(
  {
    state: Type.String({
      enum: [...RISK_STATES],
      description:
        '`at_risk`: it will fail unless the cause is cured. `unknown`: nobody looked yet (accounts are read from three days before the due date on), or the nodes disagree, are behind or were away for 15 minutes',
      examples: ['at_risk'],
    }),
    cause: Nullable(
      Type.String({
        enum: [...RISK_CAUSES],
        description: 'the first of these that holds; null where nothing is at risk',
        examples: ['insufficient_balance'],
      }),
    ),
    checkedAt: Nullable(Moment("when the payer's token account was read")),
    slot: Nullable(Integer('of that reading', 452091000)),
    balance: Nullable(Integer('of that account, in the smallest unit', 3200000)),
    allowance: Nullable(Integer('what its delegate may still take', 40400000)),
    dueTogether: Nullable(Integer('the sum that is due from that account up to this due date', 9990000)),
  },
  { title: 'DueRisk', description: 'Whether a due payment can execute, by what the nodes see.' },
)
export type DueRiskRecord = Static<typeof DueRiskRecord>

export const toDueRiskRecord = (risk: DueRisk): DueRiskRecord => ({ ...risk })

const WAITS: ReadonlySet<string> = new Set(['upcoming', 'due', 'overdue'])

/**
 * The risks of the policies that wait for a payment; the others have none. One statement for 1,000 policies that are due
 * soon, none where nothing is due.
 * @param now Unix seconds
 */
export async function readPolicyRisks(
  store: Store,
  policies: readonly Pick<StoredSubscription, 'address' | 'status' | 'dueAt' | 'endsAt'>[],
  { programId, now }: { programId: string; now: number },
): Promise<ReadonlyMap<string, DueRisk>> {
  const waiting = policies.filter(policy => WAITS.has(dueStateOf({ ...policy, live: true }, now, 0)))
  const near = waiting.filter(({ dueAt }) => Number(dueAt) <= now + WATCHED_SECONDS)
  const risks = await findDueRisks(
    store,
    near.map(({ address }) => address),
    programId,
  )
  for (const { address, dueAt } of waiting)
    if (Number(dueAt) > now + WATCHED_SECONDS) risks.set(address, UNWATCHED)
  return risks
}
