import { setImmediate as nextRead, setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, type Intake, type Logger } from '@payment-tracking/runtime'
import {
  AckPolicy,
  ConsumerEvents,
  DeliverPolicy,
  Events,
  nanos,
  type Consumer,
  type ConsumerMessages,
  type JsMsg,
  type NatsConnection,
} from 'nats'
import { changeServer } from './change-server.js'
import { ASKING, BusUnavailableError } from './connection.js'
import { undefinedIfMissing } from './observe.js'
import { readPosition, type StreamPosition } from './position.js'
import { describe, describeTraced, type ReceivedBusMessage } from './received-message.js'
import { ensureStream, type StreamConfig, type StreamState } from './stream.js'

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

/** The messages of the stream that are not acknowledged yet. */
export interface StreamLag {
  messages: number
  /** since the oldest of them was published; null when unknown, for example because it was deleted */
  oldestSeconds: number | null
}

/** Batches whose messages may be delivered and not acknowledged, over all replicas. */
export const MOST_UNACKNOWLEDGED_BATCHES = 20
const RESTART_DELAY_MS = 1_000
/** Longer than a server takes to delete the files of a stream. */
const AFTER_DELETION_MS = 2_000
/** A batch is lengthened by no more messages than this to keep a group together. */
const MOST_OF_GROUP = 256
const LONGEST_GATHERING_MS = 10
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
  readonly #waiting: JsMsg[] = []
  /** The last delivery of each message that waits or is handled, by sequence. */
  readonly #held = new Map<number, JsMsg>()
  readonly #idle: (() => void)[] = []
  /** fetches a batch only when it is full */
  readonly #spare: (() => void)[] = []
  #messages: ConsumerMessages | undefined
  #stopping = false
  #working: Promise<unknown> | undefined
  #receiving: Promise<void> | undefined
  #opening = false
  #consumer: Consumer | undefined
  /** why no messages are read right now; null while they are */
  #problem: string | null = 'the consumer is not open yet'

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: ConsumerOptions,
    private readonly handle: HandleBatch,
    private readonly log: Logger,
  ) {}

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
    for (const wake of [...this.#idle.splice(0), ...this.#spare.splice(0)]) wake()
    // While NATS is away, opening the consumer takes longer than a process may take to stop.
    if (!this.#opening) await this.#receiving
    // Messages that were received and not begun go back at once instead of after the ack wait.
    for (const message of this.#waiting.splice(0)) message.nak(1)
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
      await this.#consumer!.info()
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
    try {
      const info = await this.#consumer?.info()
      if (!info) return null
      const messages = info.num_pending + info.num_ack_pending
      if (messages === 0) {
        const { hasLostTail, lastSequence, deliveredSequence } = await readPosition(
          this.connection,
          this.options,
        )
        // The consumer sees none of them, and they were published all the same.
        if (hasLostTail) return { messages: lastSequence - deliveredSequence, oldestSeconds: null }
        return { messages, oldestSeconds: 0 }
      }
      return { messages, oldestSeconds: await this.#ageOfFirstAfter(info.ack_floor.stream_seq) }
    } catch {
      return null
    }
  }

  async #ageOfFirstAfter(sequence: number): Promise<number | null> {
    const { streamName, subjectPrefix } = this.options
    try {
      const manager = await this.connection.jetstreamManager()
      // The server knows this request; the client's types do not.
      const question = { seq: sequence + 1, next_by_subj: `${subjectPrefix}.>` }
      const message = await manager.streams.getMessage(streamName, question)
      return Math.max(0, (Date.now() - message.time.getTime()) / 1_000)
    } catch {
      return null
    }
  }

  #stream: StreamState | undefined

  /** Opens the stream and the consumer and reads messages; opens both again after an error. */
  async #receive(): Promise<void> {
    const { batchSize } = this.options
    while (!this.#stopping) {
      this.#opening = true
      try {
        const consumer = await this.#open()
        await this.options.onOpened?.(await readPosition(this.connection, this.options))
        if (this.#stopping) return
        // As many as are handled at once: the next messages arrive while these are stored.
        this.#messages = await consumer.consume({
          max_messages: batchSize * BATCHES_AT_ONCE,
          expires: 30_000,
          idle_heartbeat: HEARTBEAT_MS,
        })
        this.#problem = null
        this.#opening = false
        void this.#watch(this.#messages)
        if (this.#stopping) this.#messages.stop()
        for await (const message of this.#messages) {
          const isHeld = isSame(this.#held.get(message.seq), message)
          this.#held.set(message.seq, message)
          // While handling is slow, all that waits is delivered again after each ack wait.
          if (isHeld) continue
          this.#waiting.push(message)
          this.#idle.shift()?.()
          if (this.#waiting.length >= batchSize) this.#spare.shift()?.()
        }
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

  /**
   * Creates the consumer at the first call. Later calls create it only when it is missing. To create a consumer, the whole
   * cluster needs a leader. After a cut, the cluster can lack one for half a minute longer than the stream and the consumer.
   */
  async #open(): Promise<Consumer> {
    const { streamName, subjectPrefix, consumerName, batchSize, ackWaitMs } = this.options
    const manager = await this.connection.jetstreamManager(ASKING)
    // nats-server 2.9 can lose what is published to a stream that is made while its predecessor is still being deleted.
    if (this.#stream && !(await manager.streams.info(streamName).catch(undefinedIfMissing)))
      await sleep(AFTER_DELETION_MS)
    this.#stream = await ensureStream(manager, this.options)
    if (this.#consumer && (await this.#consumer.info().catch(undefinedIfMissing))) return this.#consumer
    await manager.consumers.add(streamName, {
      durable_name: consumerName,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subject: `${subjectPrefix}.>`,
      ack_wait: nanos(ackWaitMs),
      max_deliver: -1,
      max_ack_pending: batchSize * MOST_UNACKNOWLEDGED_BATCHES,
    })
    this.#consumer = await this.connection.jetstream(ASKING).consumers.get(streamName, consumerName)
    return this.#consumer
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
    const { batchSize } = this.options
    const [least, asleep] = isSpare ? [batchSize, this.#spare] : [1, this.#idle]
    for (;;) {
      if (this.#stopping) return
      if (this.#waiting.length < least) {
        await new Promise<void>(resolve => asleep.push(resolve))
        continue
      }
      await this.#gather()
      // Another took it meanwhile, or the stop gives it back.
      if (this.#stopping || this.#waiting.length < least) continue
      await this.#settle(this.#take())
    }
  }

  /** What arrived together is handed over message by message: resolves when all of it is here. */
  async #gather(): Promise<void> {
    const { batchSize, isContinued } = this.options
    if (this.#waiting.length <= batchSize) await nextRead()
    for (let waitedMs = 0; waitedMs < LONGEST_GATHERING_MS; waitedMs++) {
      const last = this.#waiting.at(-1)
      if (this.#stopping || !last || this.#waiting.length > batchSize || !isContinued?.(last.subject)) return
      await sleep(1)
    }
  }

  #take(): JsMsg[] {
    const { batchSize, groupOf } = this.options
    const batch = this.#waiting.splice(0, batchSize)
    const nameOf = (message: JsMsg | undefined) => (message && groupOf?.(message.data)) ?? null
    const last = nameOf(batch.at(-1))
    if (last === null) return batch
    for (let more = 0; more < MOST_OF_GROUP && nameOf(this.#waiting[0]) === last; more++)
      batch.push(this.#waiting.shift()!)
    return batch
  }

  async #settle(batch: readonly JsMsg[]): Promise<void> {
    let redeliver: Redeliver | undefined
    try {
      redeliver = await this.handle(batch.map(this.options.traced ? describeTraced : describe), this.#stream!)
    } catch (err) {
      this.log.error({ err }, 'bus.batch-failed')
      redeliver = { redeliverAfterMs: RESTART_DELAY_MS }
    }
    for (const handled of batch) {
      const message = this.#lastDeliveryOf(handled)
      // Always with a delay: without one the message comes back at once, and the backoff of older servers is broken.
      if (redeliver) message.nak(redeliver.redeliverAfterMs)
      else message.ack()
    }
  }

  #lastDeliveryOf(handled: JsMsg): JsMsg {
    const held = this.#held.get(handled.seq)
    if (!isSame(held, handled)) return handled
    this.#held.delete(handled.seq)
    return held
  }
}

/** A stream that was made anew counts its messages from 1 again. */
const isSame = (one: JsMsg | undefined, other: JsMsg): one is JsMsg =>
  one?.seq === other.seq && one.info.timestampNanos === other.info.timestampNanos

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
