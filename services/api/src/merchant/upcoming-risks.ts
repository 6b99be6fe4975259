// Which of a gateway's upcoming payments are at risk.
import { UNWATCHED, WATCHED_SECONDS, type DueRisk } from '@payment-tracking/domain'
import { findDueRisks, type PolicyWithDueDates, type Store } from '@payment-tracking/store'

/** Only the next payment of a policy is judged: of later ones nobody knows. */
export class UpcomingRisks {
  private constructor(
    private readonly nextDue: ReadonlyMap<string, bigint>,
    private readonly risks: ReadonlyMap<string, DueRisk>,
  ) {}

  /** @param now Unix seconds. @param to payments that are due before this time */
  static async read(
    store: Store,
    policies: readonly PolicyWithDueDates[],
    { programId, now, to }: { programId: string; now: number; to: bigint },
  ): Promise<UpcomingRisks> {
    const nextDue = new Map<string, bigint>()
    for (const { address, dueAt } of policies)
      if (dueAt !== null && dueAt < to && dueAt <= BigInt(now + WATCHED_SECONDS)) nextDue.set(address, dueAt)
    return new UpcomingRisks(nextDue, await findDueRisks(store, [...nextDue.keys()], programId))
  }

  of(address: string, dueAt: number): DueRisk {
    const isNext = this.nextDue.get(address) === BigInt(dueAt)
    return (isNext && this.risks.get(address)) || UNWATCHED
  }
}
