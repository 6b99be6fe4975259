// Decides, in the transaction of a batch, about messages that waited for what the batch made known.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { mapStoreErrors, StoreTimeoutError } from '../errors.js'
import { sql, type Sql } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { isOutage, settingAside } from '../set-aside/isolate.js'
import {
  isAnythingKnown,
  NOTHING_KNOWN,
  release,
  type Released,
  type ReleasedKind,
  type ReleasedPage,
  type ReleasePage,
} from '../webhooks/release.js'
import type { IsFinal } from '../webhooks/tell.js'
import { addFactsWork, addWork, messagesFor } from './work.js'

/**
 * Decides again about messages that waited for what is known now. What one page of a kind leaves becomes work. The caller
 * has no other statement under way: a page that fails is undone, and everything else of the transaction stays.
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
    const page: ReleasedPage = await releasePage(tx, rest, { isFinal, most: messagesFor(rows) })
    deliveries.push(...page.deliveries)
    rest = page.rest
    if (rest === null || page.unfinished === null || page.unfinished === 'finalEvents') continue
    await addReleases(tx, rest, page.unfinished)
    rest = { ...rest, [page.unfinished]: NOTHING_KNOWN[page.unfinished], after: undefined }
  }
  return deliveries
}

/**
 * Does one page. When it fails, halves it until the message is found that makes it fail, and sets the message aside; the
 * page's others are left for the next.
 * @throws StoreUnavailableError, StoreTimeoutError: the batch comes again
 */
async function releasePage(
  tx: PipelinedTx,
  released: Released,
  { isFinal, most }: { isFinal: IsFinal; most: number },
): Promise<ReleasedPage> {
  for (let limit = most; ;) {
    const page: ReleasePage = { limit, rows: [] }
    tx.send(SAVEPOINT)
    try {
      return await mapStoreErrors(() => release(tx, released, isFinal, page))
    } catch (error) {
      const { kind, rows } = page
      if (isOutage(error) || error instanceof StoreTimeoutError || kind === undefined) throw error
      await tx.$executeRaw(ROLLBACK)
      limit = Math.floor(rows.length / 2)
      if (limit > 0) continue
      tx.send(settingAside('release-messages', rows[0]!, error))
      return { deliveries: [], rest: released, unfinished: kind }
    }
  }
}

const SAVEPOINT: Sql = sql`savepoint released`
const ROLLBACK: Sql = sql`rollback to savepoint released`

/** Events that a batch calls final have at most as many rows as their gateways have webhooks: they are no work. */
async function addReleases(
  tx: PipelinedTx,
  { knownPayments, knownPolicies, after }: Released,
  kind: Exclude<ReleasedKind, 'finalEvents'>,
): Promise<void> {
  if (kind === 'finalizedSlot') return addWork(tx, [{ kind: 'watermark', address: '' }])
  if (kind === 'knownPolicies')
    return addFactsWork(
      tx,
      knownPolicies.filter(policy => after === undefined || policy >= after.policy),
    )
  const rows = await tx.$queryRaw<{ policy: string }[]>`
    select distinct policy from waiting_messages
     where waits_for = 'facts' and event_id = any(${[...knownPayments]}::uuid[])`
  addFactsWork(
    tx,
    rows.map(({ policy }) => policy),
  )
}
