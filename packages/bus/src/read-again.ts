import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  type Consumer,
  type ConsumerConfig,
  type NatsConnection,
} from 'nats'
import type { HandleBatch } from './consumer-options.js'
import { NO_MESSAGE } from './position.js'
import { storedAt, type ReceivedBusMessage } from './received-message.js'
import { codeOf, ensureStream, isMissing, type StreamConfig } from './stream.js'

export interface ReadAgainOptions extends StreamConfig {
  /** where to begin: a sequence, or the time at which the stream stored a message. Beyond the end nothing is read. */
  from: number | Date
  /** when the stream was created that `from` is a sequence of; another stream is read from its beginning. Default: this stream */
  ofStream?: Date | null | undefined
  /** messages in a batch */
  batchSize: number
  signal?: AbortSignal | undefined
}

/** The server deletes the consumer after this time without a request; then it is created again. */
const INACTIVE_MS = 60_000
const FETCH_MS = 5_000
const RETRY_MS = 1_000

/**
 * Reads messages that are still in the stream a second time, in order, up to the message that is the last one at the
 * beginning. A separate consumer reads them, so the acknowledgements of the durable consumer stay as they are.
 * @param handle called for one batch at a time; a batch that it gives back is passed to it again after the delay
 * @returns how many messages were read
 * @throws NatsError when the stream cannot be asked at the beginning, or is deleted meanwhile
 */
export async function readAgain(
  connection: NatsConnection,
  options: ReadAgainOptions,
  handle: HandleBatch,
): Promise<number> {
  const manager = await connection.jetstreamManager()
  const stream = await ensureStream(manager, options)
  const { streamName, subjectPrefix, batchSize, signal, ofStream } = options
  const isOther = ofStream !== undefined && ofStream?.getTime() !== stream.createdAt.getTime()
  const from = isOther ? 1 : options.from
  const { state } = await manager.streams.info(streamName)
  const start: Partial<ConsumerConfig> =
    from instanceof Date
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, from) }
  let next = start
  /** the sequence after which to read on; undefined while only a time is known */
  let after = from instanceof Date ? undefined : Math.max(1, from) - 1
  let read = 0
  /** A consumer reads its server's copy of the stream, which may lack the newest messages: the stream's leader is asked. */
  const isAtEnd = async (): Promise<boolean> => {
    const ours = `${subjectPrefix}.>`
    // The server knows `next_by_subj`; the client's types do not.
    const question = after === undefined ? { last_by_subj: ours } : { seq: after + 1, next_by_subj: ours }
    try {
      const message = await manager.streams.getMessage(streamName, question)
      return after === undefined ? message.time < (from as Date) : message.seq > state.last_seq
    } catch (error) {
      if (codeOf(error) !== NO_MESSAGE) throw error
      return true
    }
  }
  while (!signal?.aborted) {
    let consumer: Consumer | undefined
    let received = 0
    try {
      const { name } = await manager.consumers.add(streamName, {
        ack_policy: AckPolicy.None,
        filter_subject: `${subjectPrefix}.>`,
        inactive_threshold: nanos(INACTIVE_MS),
        ...next,
      })
      consumer = await connection.jetstream().consumers.get(streamName, name)
      for (;;) {
        const batch: ReceivedBusMessage[] = []
        const { num_pending, delivered } = await consumer.info()
        // The server does not send a message of this consumer twice. When a connection broke with messages on their way,
        // a new consumer reads them.
        if (delivered.consumer_seq !== received) break
        let isLast = num_pending === 0
        const fetched = isLast ? [] : await consumer.fetch({ max_messages: batchSize, expires: FETCH_MS })
        for await (const message of fetched) {
          if (message.info.deliverySequence !== received + 1) {
            isLast = false
            break
          }
          received += 1
          if (message.seq > state.last_seq) {
            isLast = true
            break
          }
          batch.push({
            subject: message.subject,
            bytes: message.data,
            streamSequence: message.seq,
            deliveries: 1,
            storedAt: storedAt(message),
          })
          isLast = message.info.pending === 0 || message.seq === state.last_seq
          if (isLast || batch.length === batchSize) break
        }
        if (batch.length > 0) {
          await handleUntilStored(handle, batch, stream, signal)
          read += batch.length
          after = batch.at(-1)!.streamSequence
          next = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 }
        }
        if (signal?.aborted || (isLast && (await isAtEnd()))) return read
        if (isLast) {
          await pause(RETRY_MS)
          break
        }
      }
    } catch (error) {
      // The server restarted, forgot the consumer, or has no leader yet: go on after the last message that was stored.
      if (signal?.aborted) return read
      await pause(RETRY_MS)
      if (connection.isClosed() || isMissing(error)) throw error
    } finally {
      await consumer?.delete().catch(() => {})
    }
  }
  return read
}

async function handleUntilStored(
  handle: HandleBatch,
  batch: readonly ReceivedBusMessage[],
  stream: Parameters<HandleBatch>[1],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const redeliver = await handle(batch, stream)
    if (!redeliver || signal?.aborted) return
    await pause(redeliver.redeliverAfterMs)
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
