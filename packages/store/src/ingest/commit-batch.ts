// Stores a batch of messages. `writeBatch` is the algorithm; each of its phases has a file of its own.
import {
  DEFAULT_PROGRAM_ID,
  type CommittedLifecycle,
  type CommittedPayment,
  type DeliveryRef,
} from '@payment-tracking/contracts'
import type { ControlMessage } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { readWebhooksOf } from '../webhooks/told-webhooks.js'
import type { RefusedMessage, StreamIdentity } from './dead-letters.js'
import { foldBatch, type Folded } from './fold.js'
import { identify, type Identified } from './identify.js'
import { numberEvents } from './number.js'
import type { ReceivedMessage } from './received-message.js'
import { refoldBatch } from './refold-batch.js'
import { readForgotten } from './refold-causes.js'
import { tellBatch } from './tell-batch.js'
import { trackByPolicy } from './track-by-policy.js'
import { writeFolded } from './write.js'

/** A checked control message, with its bytes in case it cannot be stored. */
export interface ReceivedControl {
  control: ControlMessage
  streamSequence: number
  subject: string
  bytes: Uint8Array
}

export interface Batch {
  stream: StreamIdentity
  received: readonly ReceivedMessage[]
  refused: readonly RefusedMessage[]
  /** the indexer's messages about the chain itself, in order */
  controls?: readonly ReceivedControl[] | undefined
  /** the program for deriving addresses where stored messages are read again; default: the production program */
  programId?: string | undefined
  /** the messages were read before: a message that is accepted now closes its dead letter */
  again?: boolean | undefined
  /** by event, when messages are traced: stored with the deliveries */
  traceParents?: ReadonlyMap<string, string> | undefined
  /** the verified run of the server; see `lockHead` */
  serverRun?: string | undefined
  /**
   * called when Postgres has most of the batch's data and this process will wait for Postgres; not called in every
   * batch
   */
  onWriting?: (() => void) | undefined
}

/** What a transaction of ingest changed, for the outbox relay. */
export interface CommittedNews {
  /** the database's epoch at the commit: every `seq` of `payments` and `retractions` belongs to it */
  epoch: string
  /** null when nothing in the batch was new */
  batchId: bigint | null
  /**
   * the new payments to announce, in `seq` order of each tracking ID, followed by older payments whose policy is new
   */
  payments: CommittedPayment[]
  /** payments that this batch retracted */
  retractions: CommittedPayment[]
  /** what events did to policies with a tracking ID: the messages that webhooks get */
  lifecycles: CommittedLifecycle[]
  /** announcements of payments outside of the batch: the caller removes them after the announcement */
  announcementIds: bigint[]
  deliveries: DeliveryRef[]
}

export interface CommittedBatch extends CommittedNews {
  /** the position of the batch's last event; null when nothing in the batch was new */
  lastPosition: bigint | null
  storedCount: number
  duplicateCount: number
  deadLetterCount: number
}

/**
 * Stores a batch of messages in one transaction: new events with their facts, states, figures, `seq`, delivery rows and
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
  const { head, fresh, known } = identified
  const folded = foldBatch(fresh, known, identified.unready)
  const tracked = await trackByPolicy(tx, folded.events)
  // What the later phases read is asked here: behind the events, an answer would wait until Postgres has written them.
  const [numbered, forgotten, webhooks] = await Promise.all([
    numberEvents(tx, tracked, head.position, identified.heads),
    readForgotten(tx, folded, head.position),
    readWebhooksOf(tx, gatewaysOf(identified, folded)),
  ])
  await writeFolded(tx, numbered, folded)
  const { programId = DEFAULT_PROGRAM_ID } = batch
  const refolded = await refoldBatch(tx, { identified, folded, forgotten, programId })
  const told = await tellBatch(tx, { batch, identified, folded, numbered, refolded, webhooks })
  return {
    ...told,
    epoch: head.epoch,
    lastPosition: numbered.at(-1)?.position ?? null,
    storedCount: fresh.length,
    duplicateCount: identified.duplicateCount,
    deadLetterCount: identified.deadLetterCount,
  }
}

/** The gateways whose webhooks the batch tells, without those whose webhooks the batch itself may stop. */
function gatewaysOf({ retracted, moved }: Identified, { events, policies, gateways }: Folded): string[] {
  if (retracted.length + moved.length > 0) return []
  const told = new Set<string>()
  for (const { event } of events) if (event.effect.kind === 'payment') told.add(event.effect.gateway)
  for (const { after } of policies) if (after.gateway !== null) told.add(after.gateway)
  return [...told].filter(gateway => !gateways.has(gateway))
}
