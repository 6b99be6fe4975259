import { DELIVERY_QUEUE_NAMES, type DeliveryQueueName } from '@payment-tracking/contracts'
import { Job, type Queue } from 'bullmq'
import type { Redis } from 'ioredis'

export type Queues = Record<DeliveryQueueName, Queue>

/** `active`: a worker has it in hand. `waiting`: a worker will take it at once. */
export type LiveJob = 'waiting' | 'active'

/**
 * Removes jobs that have ended and promotes jobs that wait for their time. BullMQ adds no job whose id is in a set of ended jobs, so the
 * sweeper's new job would be swallowed. Asks with a few commands for any number of jobs, by
 * the sets of BullMQ: its own question after the state of a job reads a whole list.
 * @returns the jobs that are left, by id
 */
export async function promoteJobs(
  redis: Redis,
  queues: Queues,
  ids: readonly string[],
): Promise<Map<string, LiveJob>> {
  const live = new Map<string, LiveJob>()
  const promoteIn = async (queue: Queue): Promise<void> => {
    const within = async (set: string) => {
      const scores = await redis.zmscore(queue.toKey(set), ...ids)
      return ids.filter((_, at) => scores[at] !== null)
    }
    const [completed, failed, delayed, lists] = await Promise.all([
      within('completed'),
      within('failed'),
      within('delayed'),
      Promise.all(ids.map(id => redis.exists(queue.toKey(id), queue.toKey(`${id}:lock`)))),
    ])
    // With its lock a job has two keys.
    for (const [at, keys] of lists.entries())
      if (keys > 0) live.set(ids[at]!, keys > 1 ? 'active' : 'waiting')
    for (const id of [...completed, ...failed]) live.delete(id)
    await Promise.all([
      ...[...completed, ...failed].map(id => queue.remove(id)),
      // If a worker has taken it meanwhile, it needs no promotion.
      ...delayed.map(async id => (await Job.fromId(queue, id))?.promote().catch(() => undefined)),
    ])
  }
  for (const name of DELIVERY_QUEUE_NAMES) await promoteIn(queues[name])
  return live
}
