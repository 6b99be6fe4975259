// Which of a gateway's upcoming payments are at risk.
import { UNWATCHED, WATCHED_SECONDS, type DueRisk, type PolicyTerms } from '@payment-tracking/domain'
import { findDueRisks, type PolicyWithDueDates, type Store } from '@payment-tracking/store'

/** When a policy is due next, Unix seconds. */
export function nextDueOf(policy: PolicyWithDueDates, terms: PolicyTerms): bigint | null {
  if (terms.kind === 'one-time') return terms.dueDate > 0n ? terms.dueDate : policy.createdAt
  return terms.kind === 'subscription' ? policy.nextPaymentDue : null
}

/** Only the next payment of a policy is judged: of later ones nobody knows. */
export class UpcomingRisks {
  private constructor(
    private readonly nextDue: ReadonlyMap<string, bigint>,
    private readonly risks: ReadonlyMap<string, DueRisk>,
  ) {}

  /** @param now Unix seconds */
  static async read(
    store: Store,
    policies: readonly { policy: PolicyWithDueDates; terms: PolicyTerms }[],
    { programId, now }: { programId: string; now: number },
  ): Promise<UpcomingRisks> {
    const nextDue = new Map<string, bigint>()
    for (const { policy, terms } of policies) {
      const next = nextDueOf(policy, terms)
      if (next !== null && next <= BigInt(now + WATCHED_SECONDS)) nextDue.set(policy.address, next)
    }
    return new UpcomingRisks(nextDue, await findDueRisks(store, [...nextDue.keys()], programId))
  }

  of(address: string, dueAt: number): DueRisk {
    const isNext = this.nextDue.get(address) === BigInt(dueAt)
    return (isNext && this.risks.get(address)) || UNWATCHED
  }
}
