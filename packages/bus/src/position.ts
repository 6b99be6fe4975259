import type { JetStreamManager, NatsConnection } from 'nats'
import { ASKING, BusUnavailableError } from './connection.js'
import { codeOf, takesControls, type StreamConfig, type StreamState } from './stream.js'

/** Where a stream and our consumer of it stand. */
export interface StreamPosition {
  stream: StreamState
  /** the oldest message that the stream still holds; one past the last when it holds none */
  firstSequence: number
  lastSequence: number
  /** every message of ours up to this sequence was acknowledged, or discarded by the stream */
  acknowledgedSequence: number
  /** messages that were delivered and are not acknowledged */
  inFlight: number
  /** the last message that was delivered */
  deliveredSequence: number
  /** how many deliveries the consumer has made, redeliveries included */
  deliveries: number
  /** a consumer that was made anew counts its deliveries anew */
  consumerCreatedAt: Date
  /** messages in the middle of the stream that were deleted one by one */
  deletedMessages: number
  /**
   * The stream counts messages after the last delivered one, and its server has none of them. nats-server 2.9 loses what is
   * published to a stream that is made while the one of its name is still being deleted.
   */
  hasLostTail: boolean
  /** whether the stream takes subjects that the consumer does not read: then a missing sequence proves nothing */
  holdsOtherSubjects: boolean
  /** whether the stream takes control messages; without them nothing becomes final and nothing is retracted */
  takesControls: boolean
}

/** Code of the JetStream API: no message is there. */
export const NO_MESSAGE = 10037

/** Whether the server can read a message of this sequence or a later one. */
async function hasMessageFrom(manager: JetStreamManager, stream: string, seq: number): Promise<boolean> {
  try {
    // The server knows this request; the client's types do not.
    const question = { seq, next_by_subj: '>' }
    await manager.streams.getMessage(stream, question)
    return true
  } catch (error) {
    if (codeOf(error) !== NO_MESSAGE) throw error
    return false
  }
}

/**
 * Reads the state of the stream before that of the consumer. So a message that the stream had already discarded, and
 * that the consumer has not acknowledged, was never read.
 * @throws BusUnavailableError when there is no such stream or consumer, or the server does not answer
 */
export async function readPosition(
  connection: NatsConnection,
  { streamName, subjectPrefix, consumerName }: StreamConfig & { consumerName: string },
): Promise<StreamPosition> {
  try {
    const manager = await connection.jetstreamManager(ASKING)
    const { created, config, state } = await manager.streams.info(streamName)
    const consumer = await manager.consumers.info(streamName, consumerName)
    const { delivered } = consumer
    const hasMore = state.messages > 0 && state.last_seq > delivered.stream_seq
    const hasLostTail =
      hasMore &&
      consumer.num_ack_pending === 0 &&
      !(await hasMessageFrom(manager, streamName, Math.max(delivered.stream_seq + 1, state.first_seq)))
    return {
      stream: { name: streamName, createdAt: new Date(created) },
      firstSequence: state.first_seq,
      lastSequence: state.last_seq,
      acknowledgedSequence: consumer.ack_floor.stream_seq,
      inFlight: consumer.num_ack_pending,
      deliveredSequence: consumer.delivered.stream_seq,
      deliveries: consumer.delivered.consumer_seq,
      consumerCreatedAt: new Date(consumer.created),
      deletedMessages: state.num_deleted ?? 0,
      hasLostTail,
      takesControls: takesControls(config.subjects, subjectPrefix),
      holdsOtherSubjects: !config.subjects.every(subject => subject.startsWith(`${subjectPrefix}.`)),
    }
  } catch (cause) {
    throw new BusUnavailableError('stream and consumer cannot be asked where they stand', { cause })
  }
}
