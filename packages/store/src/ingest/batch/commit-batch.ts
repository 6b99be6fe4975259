// Stores a batch of messages. `writeBatch` is the algorithm; each of its phases has a file of its own.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import type { PipelinedTx, Store } from '../../core/database/sql.js'
import { writeProgramFacts } from '../../core/risk/program-facts.js'
import { writeTokenAccounts } from '../../core/risk/token-accounts.js'
import { expectBatch, type ExpectedInput } from '../expectations/expect-batch.js'
import { readWebhooksOf, type WebhooksByGateway } from '../../messages/routing/notified-webhooks.js'
import type { Batch, CommittedBatch } from './batch.js'
import { foldBatch, type Folded } from './fold.js'
import { identify, type Identified } from './identify.js'
import { numberEvents, type NumberedEvent } from './number.js'
import { recomputeBatch } from './recompute-batch.js'
import { readForgotten } from './recompute-requests.js'
import type { Recomputed } from '../recompute/policy-work.js'
import { feedsOf } from '../../core/tables/messages.js'
import { nameGateways } from './name-gateways.js'
import { notifyBatch } from './notify-batch.js'
import { trackByPolicy } from './track-by-policy.js'
import { MAX_PAGE_ROWS } from '../../core/tasks/work-table.js'
import { writeFolded } from './write.js'

/**
 * Stores a batch of messages in one transaction: new events with their details, states, figures, `seq`, delivery rows and
 * dead letters commit together or not at all. Stored events stay as they are. A message that contradicts a stored event,
 * or an earlier message of the batch, becomes a dead letter CONFLICT.
 * @throws StoreUnavailableError, StoreTimeoutError: the same batch may succeed later
 * @throws StoreUnverifiedError: the server was started anew since `batch.serverRun` was verified
 * @throws StoreRefusedError: a value in the batch can never be stored
 */
export const commitBatch = ({ database }: Store, batch: Batch): Promise<CommittedBatch> =>
  database.pipelinedTransaction(tx => writeBatch(tx, batch))

async function writeBatch(tx: PipelinedTx, batch: Batch): Promise<CommittedBatch> {
  const identified = await identify(tx, batch)
  const { head, fresh, preloaded } = identified
  writeTokenAccounts(tx, batch.controls ?? [])
  writeProgramFacts(tx, fresh)
  const folded = foldBatch(fresh, preloaded, identified.unready)
  const tracked = await trackByPolicy(tx, folded.events)
  // What the later phases read is asked here: after the events, an answer would wait until Postgres has written them.
  const [numbered, forgotten, webhooks] = await Promise.all([
    numberEvents(tx, tracked, head.position, identified.heads),
    readForgotten(tx, folded, head.position),
    readOtherWebhooks(tx, identified, folded),
  ])
  await writeFolded(tx, head, numbered, folded)
  nameGateways(tx, numbered, identified.moved)
  const { programId = DEFAULT_PROGRAM_ID, rowsAtOnce: rows = MAX_PAGE_ROWS } = batch
  const recomputed = await recomputeBatch(tx, { identified, folded, forgotten, programId, rows })
  const notified = await notifyBatch(tx, { batch, identified, folded, numbered, recomputed, webhooks })
  const expected = await expectBatch(tx, paymentsOf(identified, numbered, recomputed))
  return {
    ...notified,
    deliveries: [...notified.deliveries, ...expected.deliveries],
    expectations: expected.expectations,
    feeds: feedsOf(tx, notified.payments),
    epoch: head.epoch,
    lastPosition: numbered.at(-1)?.position ?? null,
    storedCount: fresh.length,
    duplicateCount: identified.duplicateCount,
    deadLetterCount: identified.deadLetterCount,
  }
}

/** The stored payments that the batch brought or changed, as far as anybody may expect them. */
function paymentsOf(
  { head, heads, finalizedSlot, finalEvents, retracted }: Identified,
  numbered: readonly NumberedEvent[],
  { completed, changed }: Recomputed,
): ExpectedInput {
  const fresh = numbered.filter(({ event }) => heads.expected.has(event.trackingId ?? ''))
  const taken = retracted.filter(({ amount }) => amount !== null)
  return {
    eventIds: [
      ...fresh.map(({ event }) => event.id),
      ...taken.map(({ id }) => id),
      ...finalEvents,
      ...completed,
      ...changed,
    ],
    finalizedSlot,
    hasMoved: finalizedSlot > head.finalizedSlot,
    position: numbered.at(-1)?.position ?? head.position,
  }
}

/**
 * The webhooks of the gateways that the batch notifies, without those whose webhooks the batch itself may stop. Those of a batch of
 * payments were read with the lock.
 */
async function readOtherWebhooks(
  tx: PipelinedTx,
  { retracted, moved, webhooks }: Identified,
  { policies, gateways }: Folded,
): Promise<WebhooksByGateway> {
  if (retracted.length + moved.length > 0) return new Map()
  const unread = policies.flatMap(({ after: { gateway } }) =>
    gateway === null || webhooks.has(gateway) || gateways.has(gateway) ? [] : [gateway],
  )
  const read = await readWebhooksOf(tx, [...new Set(unread)])
  return new Map([...webhooks, ...read].filter(([gateway]) => !gateways.has(gateway)))
}
