import type { StreamPosition } from './position.js'
import type { ReceivedBusMessage } from './received-message.js'
import type { StreamConfig, StreamState } from './stream.js'

/** The answer of a handler that could not store its batch: the messages are delivered again after the delay. */
export interface Redeliver {
  redeliverAfterMs: number
}

/**
 * Resolves when the batch is committed; only then are its messages acknowledged. Up to BATCHES_AT_ONCE calls run at the
 * same time, so that a batch can be read while an earlier batch is stored. The handler keeps the order of commits.
 */
export type HandleBatch = (
  messages: readonly ReceivedBusMessage[],
  stream: StreamState,
) => Promise<Redeliver | undefined>

export interface ConsumerOptions extends StreamConfig {
  /** the durable name all replicas share */
  consumerName: string
  /** most messages in one batch */
  batchSize: number
  /** after this time the messages of a dead process are delivered again; longer than any batch takes */
  ackWaitMs: number
  /** Names what a message belongs to. A batch does not end between two messages of one name. */
  groupOf?: (bytes: Uint8Array) => string | null
  /** Whether more of a message's group usually follows: a batch that would end with it waits up to 10 ms. */
  isContinued?: (subject: string) => boolean
  /** reads `traceparent` of each message */
  traced?: boolean
  /**
   * Called each time after the consumer is opened and before it is read. Later, acknowledgements may skip messages that
   * the stream discarded. If the call rejects, the consumer is opened again.
   */
  onOpened?: (position: StreamPosition) => Promise<void>
}
