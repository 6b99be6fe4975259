import type { NatsConnection } from 'nats'
import { ASKING } from './connection.js'
import { readPosition } from './position.js'
import type { StreamConfig } from './stream.js'

/** The messages of the stream that are not acknowledged yet. */
export interface StreamLag {
  messages: number
  /** since the oldest of them was published; null when unknown, for example because it was deleted */
  oldestSeconds: number | null
}

/** @returns null while the server cannot tell, and without a stream or consumer */
export async function measureLag(
  connection: NatsConnection,
  of: StreamConfig & { consumerName: string },
): Promise<StreamLag | null> {
  try {
    const manager = await connection.jetstreamManager(ASKING)
    const info = await manager.consumers.info(of.streamName, of.consumerName)
    const messages = info.num_pending + info.num_ack_pending
    if (messages === 0) {
      const { hasLostTail, lastSequence, deliveredSequence } = await readPosition(connection, of)
      // The consumer sees none of them, and they were published all the same.
      if (hasLostTail) return { messages: lastSequence - deliveredSequence, oldestSeconds: null }
      return { messages, oldestSeconds: 0 }
    }
    return { messages, oldestSeconds: await ageOfFirstAfter(connection, of, info.ack_floor.stream_seq) }
  } catch {
    return null
  }
}

async function ageOfFirstAfter(
  connection: NatsConnection,
  { streamName, subjectPrefix }: StreamConfig,
  sequence: number,
): Promise<number | null> {
  try {
    const manager = await connection.jetstreamManager()
    // The server knows this request; the client's types do not.
    const question = { seq: sequence + 1, next_by_subj: `${subjectPrefix}.>` }
    const message = await manager.streams.getMessage(streamName, question)
    return Math.max(0, (Date.now() - message.time.getTime()) / 1_000)
  } catch {
    return null
  }
}
