import {
  DELIVERIES_PER_JOB,
  DELIVERIES_QUEUE,
  DELIVERY_TRIES,
  type DeliverJob,
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

export interface DeliveryQueue {
  /**
   * Wakes workers for deliveries, all or none, in one round trip. Jobs carry ids only; deliveries that are due
   * within the same tenth of a second share jobs.
   * @throws QueueUnavailableError within 2 s when Redis is away; the sweeper finds the rows later
   */
  enqueueDeliveries(deliveries: readonly EnqueuedDelivery[]): Promise<void>
  /** Jobs that a worker could take now: without delayed jobs, and 0 while the queue is paused. */
  countWaiting(): Promise<number>
  /** Resolves when Redis answers for the first time. Before that every call would fail. */
  connected(): Promise<void>
  /** Resolves when Redis answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

const SAME_MOMENT_MS = 100

interface Job {
  data: DeliverJob
  opts: { delay: number; priority?: number }
}

/** BullMQ takes jobs without a priority first. */
const BEHIND = { priority: 1 }

/** One job for each DELIVERIES_PER_JOB deliveries of a moment, never before any of them is due. */
function groupIntoJobs(deliveries: readonly EnqueuedDelivery[]): Job[] {
  const jobs: (Job & { data: { more: QueuedDelivery[] } })[] = []
  const open = new Map<string, (typeof jobs)[number]>()
  for (const { id, webhookId, delayMs = 0, released = false } of deliveries) {
    const delay = Math.ceil(delayMs / SAME_MOMENT_MS) * SAME_MOMENT_MS
    const delivery = { deliveryId: id.toString(), webhookId: webhookId.toString() }
    const key = `${delay} ${released}`
    const job = open.get(key)
    if (job && job.data.more.length < DELIVERIES_PER_JOB - 1) job.data.more.push(delivery)
    else {
      const begun = { data: { ...delivery, more: [] }, opts: { delay, ...(released && BEHIND) } }
      open.set(key, begun)
      jobs.push(begun)
    }
  }
  return jobs.map(({ data: { more, ...first }, opts }) => ({
    data: more.length > 0 ? { ...first, more } : first,
    opts,
  }))
}

/** Fails calls while Redis is away, and opens BullMQ's queue as soon as Redis can be reached. */
function openLazily(redis: Redis, options: QueueOptions) {
  let opening: Promise<Queue<DeliverJob>> | undefined
  const open = async (): Promise<Queue<DeliverJob>> => {
    const queue = new Queue<DeliverJob>(DELIVERIES_QUEUE, {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      defaultJobOptions: { attempts: DELIVERY_TRIES, backoff: { type: 'custom' } },
    })
    queue.on('error', error => options.onError?.(error))
    await queue.waitUntilReady()
    return queue
  }
  return {
    queue: async (): Promise<Queue<DeliverJob>> => {
      // A client that is not ready would reject each command by itself; BullMQ would wait instead.
      if (redis.status !== 'ready') throw new QueueUnavailableError('Redis is not connected')
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    close: async () => {
      await opening?.then(queue => queue.close()).catch(() => {})
    },
  }
}

/**
 * Opens the producer's side of the delivery queue. Resolves without waiting for Redis: while it is away, calls
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
        const queue = await lazy.queue()
        await queue.addBulk(groupIntoJobs(deliveries).map(job => ({ name: 'deliver', ...job })))
      }),
    countWaiting: () =>
      translated(async () => {
        const queue = await lazy.queue()
        return (await queue.isPaused()) ? 0 : queue.getJobCountByTypes('waiting', 'prioritized')
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
