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
import type { RefusedMessage, StreamIdentity } from './dead-letters.js'
import { foldBatch } from './fold.js'
import { identify } from './identify.js'
import { numberEvents } from './number.js'
import type { ReceivedMessage } from './received-message.js'
import { refoldBatch } from './refold-batch.js'
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
  server?: string | undefined
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
 * From this many messages on, a batch goes through Prisma's `$transaction`. Prisma's engine costs a fixed time for each
 * statement of a batch. This time does not matter in a batch of 2,000, but exceeds everything else for a single event.
 * The bench `ingest-lanes` compares both ways.
 */
const BULK_FROM = 1_000

/**
 * Stores a batch of messages in one transaction: new events with their facts, states, figures, `seq`, delivery rows and
 * dead letters commit together or not at all. Stored events stay as they are. A message that contradicts a stored event,
 * or an earlier message of the batch, becomes a dead letter CONFLICT.
 * @param bulkFrom the size from which on a batch goes through Prisma; both ways store the same
 * @throws StoreUnavailableError, StoreTimeoutError: the same batch may succeed later
 * @throws StoreUnverifiedError: the server was started anew since `batch.server` was verified
 * @throws StoreRefusedError: a value in the batch can never be stored
 */
export async function commitBatch(
  { database }: Store,
  batch: Batch,
  bulkFrom = BULK_FROM,
): Promise<CommittedBatch> {
  const work = (tx: PipelinedTx) => writeBatch(tx, batch)
  return batch.received.length >= bulkFrom
    ? database.bulkTransaction(work)
    : database.pipelinedTransaction(work)
}

async function writeBatch(tx: PipelinedTx, batch: Batch): Promise<CommittedBatch> {
  const identified = await identify(tx, batch)
  const { head, fresh, known } = identified
  const folded = foldBatch(fresh, known, identified.unready)
  const tracked = await trackByPolicy(tx, folded.events)
  const numbered = await numberEvents(tx, tracked, head.position, identified.heads)
  await writeFolded(tx, numbered, folded)
  const { programId = DEFAULT_PROGRAM_ID } = batch
  const refolded = await refoldBatch(tx, { identified, folded, programId })
  const told = await tellBatch(tx, { batch, identified, folded, numbered, refolded })
  return {
    ...told,
    epoch: head.epoch,
    lastPosition: numbered.at(-1)?.position ?? null,
    storedCount: fresh.length,
    duplicateCount: identified.duplicateCount,
    deadLetterCount: identified.deadLetterCount,
  }
}
