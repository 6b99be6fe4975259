import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, type Intake, type Logger } from '@payment-tracking/runtime'
import { ConsumerEvents, Events, type ConsumerMessages, type JsMsg, type NatsConnection } from 'nats'
import { Backlog } from './backlog.js'
import { changeServer } from './change-server.js'
import { BusUnavailableError } from './connection.js'
import type { ConsumerOptions, HandleBatch, Redeliver } from './consumer-options.js'
import { DurableConsumer } from './durable-consumer.js'
import { measureLag, type StreamLag } from './lag.js'
import { readPosition } from './position.js'
import { describe, describeTraced } from './received-message.js'

const RESTART_DELAY_MS = 1_000
/** Silence of twice to three times this length counts as missed heartbeats. */
const HEARTBEAT_MS = 2_000
/**
 * After each of these events the consumer sends nothing more. It must be opened again, and created if it is missing. The client
 * alone would ask once. Without an answer it would wait 15 to 45 s, even if it connects again meanwhile.
 */
const LOST: ReadonlySet<unknown> = new Set([
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.HeartbeatsMissed,
])
/** Another server leads the consumer, and knows nothing of what was requested. */
const LEADERSHIP_CHANGE = '409 leadership change'

/**
 * Batches that `handle` works on at the same time. The first is stored and the second is read. A third is fetched only
 * when it is full: one transaction for a larger batch is faster than two for small ones.
 */
const BATCHES_AT_ONCE = 3

/**
 * Reads the stream through a durable pull consumer. `handle` receives a lone message at once, and a backlog in batches of
 * `batchSize`, BATCHES_AT_ONCE of them at the same time. Messages are acknowledged one by one after `handle` resolves, or
 * given back with the delay that `handle` names.
 */
export class BatchConsumer implements Intake {
  readonly #backlog: Backlog
  readonly #durable: DurableConsumer
  #messages: ConsumerMessages | undefined
  #stopping = false
  #working: Promise<unknown> | undefined
  #receiving: Promise<void> | undefined
  #opening = false
  /** why no messages are read right now; null while they are */
  #problem: string | null = 'the consumer is not open yet'

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: ConsumerOptions,
    private readonly handle: HandleBatch,
    private readonly log: Logger,
  ) {
    this.#backlog = new Backlog(options)
    this.#durable = new DurableConsumer(connection, options)
  }

  start(): void {
    if (this.#receiving) return
    this.#receiving = this.#receive()
    void this.#endWithConnection()
    const work = (_: unknown, index: number) => this.#work(index === BATCHES_AT_ONCE - 1)
    this.#working = Promise.all(Array.from({ length: BATCHES_AT_ONCE }, work))
  }

  /** Takes no more messages; resolves when the batches in progress are stored and acknowledged. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#messages?.stop()
    this.#backlog.stop()
    // While NATS is away, opening the consumer takes longer than a process may take to stop.
    if (!this.#opening) await this.#receiving
    this.#backlog.giveBack()
    await this.#working
  }

  /**
   * Resolves while messages are read from the stream.
   * @throws BusUnavailableError with the reason why none are: a consumer of another kind, missing permissions, a
   *   stream without our subjects, a server without JetStream
   */
  async checkConsuming(): Promise<void> {
    if (this.#problem !== null) throw new BusUnavailableError(this.#problem)
    try {
      await this.#durable.consumer!.info()
    } catch (cause) {
      throw new BusUnavailableError(`the consumer cannot be asked: ${messageOf(cause)}`, { cause })
    }
  }

  /** Messages of the stream not yet acknowledged, or null while the server cannot tell. */
  async lag(): Promise<number | null> {
    return (await this.measureLag())?.messages ?? null
  }

  /** The lag with the age of its oldest message. It costs one more request, so only metrics ask for it. */
  async measureLag(): Promise<StreamLag | null> {
    return this.#durable.consumer ? measureLag(this.connection, this.options) : null
  }

  /** Opens the stream and the consumer and reads messages; opens both again after an error. */
  async #receive(): Promise<void> {
    while (!this.#stopping) {
      this.#opening = true
      try {
        const consumer = await this.#durable.open()
        await this.options.onOpened?.(await readPosition(this.connection, this.options))
        if (this.#stopping) return
        // As many as are handled at once: the next messages arrive while these are stored.
        this.#messages = await consumer.consume({
          max_messages: this.options.batchSize * BATCHES_AT_ONCE,
          expires: 30_000,
          idle_heartbeat: HEARTBEAT_MS,
        })
        this.#problem = null
        this.#opening = false
        void this.#watch(this.#messages)
        if (this.#stopping) this.#messages.stop()
        for await (const message of this.#messages) this.#backlog.add(message)
        this.#problem = 'the consumer ended'
      } catch (err) {
        this.#problem = `the consumer cannot be opened: ${messageOf(err)}`
        if (this.#stopping) return
        this.log.warn({ err }, 'bus.consume-interrupted')
        // NATS itself refused or did not answer: another server may know a leader.
        if (!(err instanceof ServiceError)) changeServer(this.connection)
        await sleep(RESTART_DELAY_MS)
      }
    }
  }

  /** A server that lost the pull request or the consumer may send no error. Then silence is the only sign. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const { type, data } of await messages.status()) {
      if (!LOST.has(type) && data !== LEADERSHIP_CHANGE) continue
      this.log.warn({ status: type }, 'bus.consumer-lost')
      messages.stop()
      if (type === ConsumerEvents.HeartbeatsMissed) changeServer(this.connection)
    }
  }

  /** The server forgets what was requested over a connection that broke. */
  async #endWithConnection(): Promise<void> {
    for await (const { type } of this.connection.status())
      if (type === Events.Reconnect) this.#messages?.stop()
  }

  async #work(isSpare: boolean): Promise<void> {
    for (;;) {
      const batch = await this.#backlog.nextBatch(isSpare)
      if (!batch) return
      await this.#handleBatch(batch)
    }
  }

  async #handleBatch(batch: readonly JsMsg[]): Promise<void> {
    let redeliver: Redeliver | undefined
    try {
      redeliver = await this.handle(
        batch.map(this.options.traced ? describeTraced : describe),
        this.#durable.stream!,
      )
    } catch (err) {
      this.log.error({ err }, 'bus.batch-failed')
      redeliver = { redeliverAfterMs: RESTART_DELAY_MS }
    }
    for (const handled of batch) {
      const message = this.#backlog.lastDeliveryOf(handled)
      // Always with a delay: without one the message comes back at once, and the backoff of older servers is broken.
      if (redeliver) message.nak(redeliver.redeliverAfterMs)
      else message.ack()
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
