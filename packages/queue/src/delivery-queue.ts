import {
  DELIVERIES_PER_JOB,
  DELIVERY_QUEUE_NAMES,
  DELIVERY_QUEUES,
  DELIVERY_TRIES,
  type DeliverJob,
  type DeliveryQueueName,
  type DeliveryRef,
  type QueuedDelivery,
} from '@payment-tracking/contracts'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { connectProducer, queuePrefix, type QueueOptions } from './connection.js'
import { QueueUnavailableError } from './errors.js'

/** A delivery to wake a worker for. */
export interface EnqueuedDelivery extends DeliveryRef {
  /** not before; default at once */
  delayMs?: number
}

/** The same deliveries, apart from those of what just happened. */
export const asBulk = (deliveries: readonly DeliveryRef[]): EnqueuedDelivery[] =>
  deliveries.map(delivery => ({ ...delivery, bulk: true }))

export interface DeliveryQueue {
  /**
   * Wakes workers for deliveries, in one round trip for each of the two queues. Jobs carry ids only; deliveries that
   * are due within the same tenth of a second share jobs.
   * @throws QueueUnavailableError within 2 s when Redis is away; the sweeper finds the rows later
   */
  enqueueDeliveries(deliveries: readonly EnqueuedDelivery[]): Promise<void>
  /** Jobs of each queue that a worker could take now: without delayed jobs, and 0 while the queue is paused. */
  countWaiting(): Promise<Record<DeliveryQueueName, number>>
  /** Resolves when Redis answers for the first time. Before that every call would fail. */
  connected(): Promise<void>
  /** Resolves when Redis answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

const SAME_MOMENT_MS = 100
/** Before a job is tried again that failed of the queue itself. */
const JOB_BACKOFF = { type: 'fixed', delay: 1_000 }

interface Job {
  data: DeliverJob
  opts: { delay: number }
}

/** One job for each DELIVERIES_PER_JOB deliveries of a moment, never before any of them is due. */
function groupIntoJobs(deliveries: readonly EnqueuedDelivery[]): Job[] {
  const jobs: (Job & { data: { more: QueuedDelivery[] } })[] = []
  const open = new Map<number, (typeof jobs)[number]>()
  for (const { id, webhookId, delayMs = 0 } of deliveries) {
    const delay = Math.ceil(delayMs / SAME_MOMENT_MS) * SAME_MOMENT_MS
    const delivery = { deliveryId: id.toString(), webhookId: webhookId.toString() }
    const job = open.get(delay)
    if (job && job.data.more.length < DELIVERIES_PER_JOB - 1) job.data.more.push(delivery)
    else {
      const begun = { data: { ...delivery, more: [] }, opts: { delay } }
      open.set(delay, begun)
      jobs.push(begun)
    }
  }
  return jobs.map(({ data: { more, ...first }, opts }) => ({
    data: more.length > 0 ? { ...first, more } : first,
    opts,
  }))
}

type Queues = Record<DeliveryQueueName, Queue<DeliverJob>>

/** Fails calls while Redis is away, and opens BullMQ's queues as soon as Redis can be reached. */
function openLazily(redis: Redis, options: QueueOptions) {
  let opening: Promise<Queues> | undefined
  const openOne = async (name: DeliveryQueueName): Promise<Queue<DeliverJob>> => {
    const queue = new Queue<DeliverJob>(DELIVERY_QUEUES[name], {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      // Of the job: tries of deliveries are counted by their rows.
      defaultJobOptions: { attempts: DELIVERY_TRIES, backoff: JOB_BACKOFF },
    })
    queue.on('error', error => options.onError?.(error))
    await queue.waitUntilReady()
    return queue
  }
  const open = async (): Promise<Queues> => ({
    first: await openOne('first'),
    bulk: await openOne('bulk'),
  })
  return {
    queues: async (): Promise<Queues> => {
      // A client that is not ready would reject each command by itself; BullMQ would wait instead.
      if (redis.status !== 'ready') throw new QueueUnavailableError('Redis is not connected')
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    close: async () => {
      await opening
        ?.then(queues => Promise.all(DELIVERY_QUEUE_NAMES.map(name => queues[name].close())))
        .catch(() => {})
    },
  }
}

/**
 * Opens the producer's side of the delivery queues. Resolves without waiting for Redis: while it is away, calls
 * fail at once, and they work again without a restart when it is back.
 */
export function openQueue(options: QueueOptions): DeliveryQueue {
  const redis = connectProducer(options)
  const lazy = openLazily(redis, options)
  const translated = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      if (error instanceof QueueUnavailableError) throw error
      throw new QueueUnavailableError('Redis did not take the call', { cause: error })
    }
  }
  return {
    enqueueDeliveries: deliveries =>
      translated(async () => {
        if (deliveries.length === 0) return
        const queues = await lazy.queues()
        await Promise.all(
          DELIVERY_QUEUE_NAMES.map(async name => {
            const jobs = groupIntoJobs(deliveries.filter(({ bulk = false }) => bulk === (name === 'bulk')))
            if (jobs.length > 0) await queues[name].addBulk(jobs.map(job => ({ name: 'deliver', ...job })))
          }),
        )
      }),
    countWaiting: () =>
      translated(async () => {
        const queues = await lazy.queues()
        const count = async (name: DeliveryQueueName) =>
          (await queues[name].isPaused()) ? 0 : queues[name].getJobCountByTypes('waiting')
        const [first, bulk] = await Promise.all([count('first'), count('bulk')])
        return { first, bulk }
      }),
    connected: () =>
      new Promise(resolve => {
        if (redis.status === 'ready') resolve()
        else redis.once('ready', () => resolve())
      }),
    ping: () =>
      translated(async () => {
        await redis.ping()
      }),
    close: async () => {
      await lazy.close()
      redis.disconnect()
    },
  }
}
