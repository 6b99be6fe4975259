// Decides, in the transaction of a batch, about messages that waited for what the batch made known.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { PipelinedTx } from '../../core/database/sql.js'
import { addDetailsWork, addWatermarkWork } from '../../messages/waiting/release-work.js'
import { release, type WaitedFor } from '../../messages/waiting/release.js'
import type { IsFinal } from '../../core/tables/finality.js'
import { messagesFor } from '../../core/tasks/work-table.js'

/** What a batch made known. */
export interface BatchKnown {
  /** null where the highest final slot did not move */
  finalizedSlot: bigint | null
  /** events that are final themselves */
  finalEvents: readonly string[]
  /** events of payments whose details changed */
  payments: readonly string[]
  /** policies whose details changed */
  policies: readonly string[]
}

/**
 * Decides again about messages that waited for what is known now. What one page of a kind leaves becomes work. The caller
 * has no other statement under way.
 * @param rows that the transaction does at once
 */
export async function releaseKnown(
  tx: PipelinedTx,
  { finalizedSlot, finalEvents, payments, policies }: BatchKnown,
  isFinal: IsFinal,
  rows: number,
): Promise<DeliveryRef[]> {
  const notified: DeliveryRef[] = []
  const releasePage = async (waitedFor: WaitedFor) => {
    const { deliveries, last } = await release(tx, waitedFor, isFinal, messagesFor(rows))
    notified.push(...deliveries)
    return last
  }
  if (finalizedSlot !== null && (await releasePage({ finalizedSlot }))) addWatermarkWork(tx)
  // They have at most as many rows as their gateways have webhooks: they are no work.
  while (finalEvents.length > 0 && (await releasePage({ finalEvents })));
  if (payments.length > 0 && (await releasePage({ payments })))
    addDetailsWork(tx, await readPoliciesOf(tx, payments))
  const last = policies.length > 0 ? await releasePage({ policies }) : null
  const left = last === null ? [] : policies.filter(policy => policy >= last.policy)
  addDetailsWork(tx, left)
  return notified
}

/** The policies of payments that messages wait for. */
async function readPoliciesOf(tx: PipelinedTx, payments: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ policy: string }[]>`
    select distinct a.policy from unnest(${[...payments]}::uuid[]) as k (id)
     cross join lateral (
       select policy from waiting_messages a where a.event_id = k.id and a.waits_for = 'details' limit 1) a`
  return rows.map(({ policy }) => policy)
}
