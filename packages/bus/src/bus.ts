import type { Intake, Logger } from '@payment-tracking/runtime'
import type { NatsConnection } from 'nats'
import { BusUnavailableError, connectBus, type BusConfig } from './connection.js'
import { BatchConsumer, type ConsumerOptions, type HandleBatch, type StreamLag } from './consumer.js'
import { readPosition, type StreamPosition } from './position.js'
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
  position(options: StreamConfig & { CONSUMER_NAME: string }): Promise<StreamPosition>
  /** Reads what the stream holds once more; see `readAgain`. */
  readAgain(options: ReadAgainOptions, handle: HandleBatch): Promise<number>
  /** Makes the stream when it is missing. */
  ensureStream(config: StreamConfig): Promise<void>
  /**
   * Publishes one message and waits for the stream to have stored it.
   * @returns its sequence
   * @throws BusUnavailableError when no acknowledgement came: it may be stored all the same
   */
  publish(subject: string, bytes: Uint8Array): Promise<number>
  /** Resolves when the server answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** @param name shown in the server's list of connections */
export async function openBus(config: BusConfig, name: string, log: Logger): Promise<Bus> {
  const connection: NatsConnection = await connectBus(config, name, log)
  const jetstream = connection.jetstream()
  return {
    consume: (options, handle) => new BatchConsumer(connection, options, handle, log),
    position: options => readPosition(connection, options),
    readAgain: (options, handle) => readAgain(connection, options, handle),
    ensureStream: async streamConfig => {
      await ensureStream(await connection.jetstreamManager(), streamConfig)
    },
    async publish(subject, bytes) {
      try {
        return (await jetstream.publish(subject, bytes)).seq
      } catch (cause) {
        throw new BusUnavailableError(`the stream did not acknowledge a message on ${subject}`, { cause })
      }
    },
    ping: () => connection.flush(),
    close: async () => {
      if (connection.isClosed()) return
      // A drain waits for the server; without one there is nothing left to send.
      await Promise.race([connection.drain(), new Promise(resolve => setTimeout(resolve, 2_000).unref())])
      await connection.close()
    },
  }
}
