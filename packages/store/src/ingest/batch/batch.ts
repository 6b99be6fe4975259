// The input of a transaction of ingest (`Batch`), and its result (`CommittedBatch`).
import type {
  CommittedExpectation,
  CommittedLifecycle,
  CommittedPayment,
  DeliveryRef,
} from '@payment-tracking/contracts'
import type { ChainEvent, ControlMessage, RefusalCode } from '@payment-tracking/domain'
import type { StreamIdentity } from '../../core/tables/stream-gaps.js'

/** A checked message with its sequence in the stream. */
export interface ReceivedEvent {
  event: ChainEvent
  streamSequence: number
}

/** An event that is not stored yet. */
export interface NewEvent extends ReceivedEvent {
  /** its transaction was retracted before its arrival: the event is stored, and counts nowhere */
  retracted: boolean
}

/** A checked message that still has its bytes, in case another message contradicts it. */
export interface ReceivedMessage extends ReceivedEvent {
  subject: string
  bytes: Uint8Array
}

/** A checked control message, with its bytes in case it cannot be stored. */
export interface ReceivedControl extends Omit<ReceivedMessage, 'event'> {
  control: ControlMessage
  /** when the stream stored it; default: now */
  storedAt?: Date | undefined
}

export interface RefusedMessage extends Omit<ReceivedMessage, 'event'> {
  code: RefusalCode
  reason: string
  /** for a CONFLICT: a retraction of this transaction may accept the message */
  signature?: string
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
  /** the most stored rows that the transaction recomputes; what needs more becomes work. Default: MAX_PAGE_ROWS */
  rowsAtOnce?: number | undefined
  /**
   * called once most of the batch's data is sent, before this process waits for Postgres. A transaction that fails
   * earlier does not call the function
   */
  onWriting?: (() => void) | undefined
}

/** What a transaction of ingest changed, for the outbox relay. */
export interface CommittedChanges {
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
  /** expected payments whose state changed */
  expectations: CommittedExpectation[]
  /** announcements of payments outside of the batch: the caller removes them after the announcement */
  announcementIds: bigint[]
  deliveries: DeliveryRef[]
  /** gateways whose feeds go on */
  feeds: string[]
  /** the position of the last event that was stored; null when none was */
  lastPosition: bigint | null
}

export interface CommittedBatch extends CommittedChanges {
  storedCount: number
  duplicateCount: number
  deadLetterCount: number
}
