import { setTimeout as sleep } from 'node:timers/promises'
import { AckPolicy, DeliverPolicy, nanos, type Consumer, type NatsConnection } from 'nats'
import { ASKING } from './connection.js'
import type { ConsumerOptions } from './consumer-options.js'
import { undefinedIfMissing } from './observe.js'
import { ensureStream, type StreamState } from './stream.js'

/** Batches whose messages may be delivered and not acknowledged, over all replicas. */
export const MOST_UNACKNOWLEDGED_BATCHES = 20
/** Longer than a server takes to delete the files of a stream. */
const AFTER_DELETION_MS = 2_000

/** The pull consumer that all replicas share, and its stream. */
export class DurableConsumer {
  stream: StreamState | undefined
  consumer: Consumer | undefined

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: ConsumerOptions,
  ) {}

  /**
   * Creates the consumer at the first call. Later calls create it only when it is missing. To create a consumer, the whole
   * cluster needs a leader. After a cut, the cluster can lack one for half a minute longer than the stream and the consumer.
   */
  async open(): Promise<Consumer> {
    const { streamName, subjectPrefix, consumerName, batchSize, ackWaitMs } = this.options
    const manager = await this.connection.jetstreamManager(ASKING)
    // nats-server 2.9 can lose what is published to a stream that is made while its predecessor is still being deleted.
    if (this.stream && !(await manager.streams.info(streamName).catch(undefinedIfMissing)))
      await sleep(AFTER_DELETION_MS)
    this.stream = await ensureStream(manager, this.options)
    if (this.consumer && (await this.consumer.info().catch(undefinedIfMissing))) return this.consumer
    await manager.consumers.add(streamName, {
      durable_name: consumerName,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subject: `${subjectPrefix}.>`,
      ack_wait: nanos(ackWaitMs),
      max_deliver: -1,
      max_ack_pending: batchSize * MOST_UNACKNOWLEDGED_BATCHES,
    })
    this.consumer = await this.connection.jetstream(ASKING).consumers.get(streamName, consumerName)
    return this.consumer
  }
}
