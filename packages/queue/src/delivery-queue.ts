import { DELIVERY_QUEUE_NAMES, type DeliveryQueueName, type DeliveryRef } from '@payment-tracking/contracts'
import type { Redis } from 'ioredis'
import { connectProducer, type QueueOptions } from './connection.js'
import { jobIdOf, toJob } from './delivery-job.js'
import { QueueUnavailableError } from './errors.js'
import type { Queues } from './promote-jobs.js'

/** The same deliveries, apart from those of what just happened. */
export const asBulk = (deliveries: readonly DeliveryRef[]): DeliveryRef[] =>
  deliveries.map(delivery => ({ ...delivery, bulk: true }))

export interface DeliveryQueue {
  /**
   * Adds a job for each delivery and its cycle of tries, in one round trip for each thousand. What has a job already,
   * also one that has ended, gets no second one.
   * @throws QueueUnavailableError within 2 s when Redis is away; the sweeper finds the rows later
   */
  enqueueDeliveries(deliveries: readonly DeliveryRef[]): Promise<void>
  /**
   * Gives deliveries that are due now a job that runs now, whatever became of the job before: one that waits for its time waits no
   * more, and one that has ended is made anew with the tries that are left. A job that waits for a worker is left alone.
   * @returns the deliveries whose job a worker has in hand: what it decides may be older than the row
   * @throws QueueUnavailableError like `enqueueDeliveries`
   */
  promoteDeliveries<T extends DeliveryRef>(deliveries: readonly T[]): Promise<T[]>
  /** Jobs of each queue that a worker could take now: without delayed jobs, and 0 while the queue is paused. */
  countWaiting(): Promise<Record<DeliveryQueueName, number>>
  /** Resolves when Redis answers for the first time. Before that every call would fail. */
  connected(): Promise<void>
  /** Resolves when Redis answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

const importJobQueues = () => import('./job-queues.js')

/** Fails calls while Redis is away, and opens BullMQ's queues as soon as Redis can be reached. */
function openLazily(redis: Redis, options: QueueOptions) {
  let opening: Promise<Queues> | undefined
  const open = async () => (await importJobQueues()).openJobQueues(redis, options)
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

/** Jobs of one round trip: each command has its time to be answered. */
const ADDED_AT_ONCE = 1_000

const add = async (queues: Queues, deliveries: readonly DeliveryRef[]): Promise<void> => {
  await Promise.all(
    DELIVERY_QUEUE_NAMES.map(async name => {
      const jobs = deliveries.filter(({ bulk = false }) => bulk === (name === 'bulk')).map(toJob)
      for (let start = 0; start < jobs.length; start += ADDED_AT_ONCE)
        await queues[name].addBulk(jobs.slice(start, start + ADDED_AT_ONCE))
    }),
  )
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
        if (deliveries.length > 0) await add(await lazy.queues(), deliveries)
      }),
    promoteDeliveries: deliveries =>
      translated(async () => {
        if (deliveries.length === 0) return []
        const queues = await lazy.queues()
        const { promoteJobs } = await importJobQueues()
        const jobs = await promoteJobs(redis, queues, deliveries.map(jobIdOf))
        const jobOf = (delivery: DeliveryRef) => jobs.get(jobIdOf(delivery))
        await add(
          queues,
          deliveries.filter(delivery => jobOf(delivery) === undefined),
        )
        return deliveries.filter(delivery => jobOf(delivery) === 'active')
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
