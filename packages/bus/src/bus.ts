import type { Intake, Logger } from '@payment-tracking/runtime'
import type { NatsConnection } from 'nats'
import { answerQuestions, ask, type Answering } from './ask.js'
import { BusUnavailableError, connectBus, optionsOf, type BusConfig } from './connection.js'
import { BatchConsumer } from './consumer.js'
import type { ConsumerOptions, HandleBatch } from './consumer-options.js'
import { measureLag, type StreamLag } from './lag.js'
import { openKeyValue, type KeyValue } from './key-value.js'
import { listConsumers, peekKey, type ConsumerState, type KeyState } from './observe.js'
import { readPosition, type StreamPosition } from './position.js'
import { StreamPublisher, type OutgoingMessage } from './stream-publisher.js'
import { readAgain, type ReadAgainOptions } from './read-again.js'
import { ensureStream, type StreamConfig } from './stream.js'

export interface Bus {
  /** Reads the stream in batches; nothing starts before `start()`. */
  consume(
    options: ConsumerOptions,
    handle: HandleBatch,
  ): Intake & {
    lag(): Promise<number | null>
    measureLag(): Promise<StreamLag | null>
    checkConsuming(): Promise<void>
  }
  /** Where a stream and its consumer stand. @throws BusUnavailableError */
  position(options: StreamConfig & { consumerName: string }): Promise<StreamPosition>
  /** The messages that a consumer has not acknowledged; null while the server cannot tell. */
  measureLag(options: StreamConfig & { consumerName: string }): Promise<StreamLag | null>
  /** Reads messages that are still in the stream a second time; see `readAgain`. */
  readAgain(options: ReadAgainOptions, handle: HandleBatch): Promise<number>
  /** Makes the stream when it is missing. */
  ensureStream(config: StreamConfig): Promise<void>
  /**
   * Publishes one message and waits for the stream to have stored it.
   * @param messageId a single server drops a second message of this id for some minutes; only narrows what is doubled
   * @returns its sequence
   * @throws BusUnavailableError when no acknowledgement came. The stream may have stored the message.
   */
  publish(subject: string, bytes: Uint8Array, messageId?: string): Promise<number>
  /**
   * Publishes messages in their order, and waits for the stream to have stored them all.
   * @returns their sequences, in the order of the messages
   * @throws BusUnavailableError when an acknowledgement did not come. The stream may have stored any of the messages.
   */
  publishAll(messages: readonly OutgoingMessage[]): Promise<number[]>
  /** Opens a bucket of keys and values, made when it is missing with as many replicas as the stream has. */
  openKeyValue(bucket: string, stream: string): Promise<KeyValue>
  /** The value of a key of another process's bucket; undefined without bucket or key. @throws BusUnavailableError */
  peekKey(bucket: string, key: string): Promise<KeyState | undefined>
  /** The consumers of a stream by name; none without the stream. @throws BusUnavailableError */
  listConsumers(stream: string): Promise<ConsumerState[]>
  /** Asks whichever process answers a subject. @throws BusUnavailableError */
  ask(subject: string, bytes: Uint8Array): Promise<Uint8Array>
  /** Answers questions on a subject until it is stopped; see `answerQuestions`. */
  answer(
    subject: string,
    answer: (bytes: Uint8Array) => Promise<Uint8Array>,
    onError: (error: Error) => void,
  ): Answering
  /** Resolves when the server answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** @param name shown in the server's list of connections */
export async function openBus(config: BusConfig, name: string, log: Logger): Promise<Bus> {
  const connection: NatsConnection = await connectBus(config, name, log)
  const publisher = new StreamPublisher(connection, optionsOf(config).inboxPrefix)
  const publishAll: Bus['publishAll'] = async messages => {
    try {
      return await publisher.publishAll(messages)
    } catch (cause) {
      const subjects = [...new Set(messages.map(({ subject }) => subject))].join(', ')
      throw new BusUnavailableError(`the stream did not acknowledge a message on ${subjects}`, { cause })
    }
  }
  return {
    consume: (options, handle) => new BatchConsumer(connection, options, handle, log),
    position: options => readPosition(connection, options),
    measureLag: options => measureLag(connection, options),
    readAgain: (options, handle) => readAgain(connection, options, handle),
    ensureStream: async streamConfig => {
      await ensureStream(await connection.jetstreamManager(), streamConfig)
    },
    openKeyValue: (bucket, stream) => openKeyValue(connection, bucket, stream),
    peekKey: (bucket, key) => peekKey(connection, bucket, key),
    listConsumers: stream => listConsumers(connection, stream),
    publishAll,
    publish: async (subject, bytes, id) =>
      (await publishAll([{ subject, bytes, ...(id !== undefined && { id }) }]))[0]!,
    ask: (subject, bytes) => ask(connection, subject, bytes),
    answer: (subject, answer, onError) => answerQuestions(connection, subject, answer, onError),
    ping: () => connection.flush(),
    close: async () => {
      if (connection.isClosed()) return
      // A drain waits for the server. While the server is away nothing can be sent.
      await Promise.race([connection.drain(), new Promise(resolve => setTimeout(resolve, 2_000).unref())])
      await connection.close()
    },
  }
}
