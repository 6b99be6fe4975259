// What calls BullMQ for a producer. It is imported with the first call: a start need not read BullMQ, a quarter of the api's code.
import { DELIVERY_QUEUES, type DeliveryQueueName } from '@payment-tracking/contracts'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { queuePrefix, type QueueOptions } from './connection.js'
import { JOB_OPTIONS } from './delivery-job.js'
import type { Queues } from './promote-jobs.js'

export { promoteJobs } from './promote-jobs.js'

async function openOne(name: DeliveryQueueName, redis: Redis, options: QueueOptions): Promise<Queue> {
  const queue = new Queue(DELIVERY_QUEUES[name], {
    connection: redis,
    prefix: queuePrefix(options.ENVIRONMENT),
    defaultJobOptions: JOB_OPTIONS,
  })
  queue.on('error', error => options.onError?.(error))
  await queue.waitUntilReady()
  return queue
}

export const openJobQueues = async (redis: Redis, options: QueueOptions): Promise<Queues> => ({
  first: await openOne('first', redis, options),
  bulk: await openOne('bulk', redis, options),
})
