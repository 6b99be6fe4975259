// Decides, in the transaction of a batch, about messages that waited for what the batch made known.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import {
  isAnythingKnown,
  NOTHING_KNOWN,
  release,
  type Released,
  type ReleasedKind,
  type ReleasedPage,
} from '../webhooks/release.js'
import type { IsFinal } from '../webhooks/tell.js'
import { addFactsWork, addWatermarkWork } from '../webhooks/release-work.js'
import { messagesFor } from '../work/work-table.js'

/**
 * Decides again about messages that waited for what is known now. What one page of a kind leaves becomes work. The caller
 * has no other statement under way.
 * @param rows that the transaction does at once
 */
export async function releaseKnown(
  tx: PipelinedTx,
  released: Released,
  isFinal: IsFinal,
  rows: number,
): Promise<DeliveryRef[]> {
  const deliveries: DeliveryRef[] = []
  let rest: Released | null = isAnythingKnown(released) ? released : null
  while (rest !== null) {
    const page: ReleasedPage = await release(tx, rest, isFinal, messagesFor(rows))
    deliveries.push(...page.deliveries)
    rest = page.rest
    if (rest === null || page.unfinished === null || page.unfinished === 'finalEvents') continue
    await addReleases(tx, rest, page.unfinished)
    rest = { ...rest, [page.unfinished]: NOTHING_KNOWN[page.unfinished], after: undefined }
  }
  return deliveries
}

/** Events that a batch calls final have at most as many rows as their gateways have webhooks: they are no work. */
async function addReleases(
  tx: PipelinedTx,
  { knownPayments, knownPolicies, after }: Released,
  kind: Exclude<ReleasedKind, 'finalEvents'>,
): Promise<void> {
  if (kind === 'finalizedSlot') return addWatermarkWork(tx)
  if (kind === 'knownPolicies')
    return addFactsWork(
      tx,
      knownPolicies.filter(policy => after === undefined || policy >= after.policy),
    )
  const rows = await tx.$queryRaw<{ policy: string }[]>`
    select distinct a.policy from unnest(${[...knownPayments]}::uuid[]) as k (id)
     cross join lateral (
       select policy from waiting_messages a where a.event_id = k.id and a.waits_for = 'facts' limit 1) a`
  addFactsWork(
    tx,
    rows.map(({ policy }) => policy),
  )
}
