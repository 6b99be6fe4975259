// A worker of one of the two queues of deliveries, with concurrency slots of its own. A job is only a wake-up: it ends with
// its deliveries, whatever became of them. A delivery that is due again gets another job.
import {
  DELIVERY_QUEUES,
  isDeliverJob,
  type DeliveryQueueName,
  type QueuedDelivery,
} from '@payment-tracking/contracts'
import { coalesce } from '@payment-tracking/runtime'
import { UnrecoverableError, Worker } from 'bullmq'
import { promise as openLimited } from 'fastq'
import type { Redis } from 'ioredis'
import { queuePrefix, type QueueOptions } from './connection.js'
import type { EnqueuedDelivery } from './delivery-queue.js'

/** What became of a delivery. The row in Postgres holds the same; the job only shows it on the dashboard. */
export type DeliveryEnd =
  /** delivered, or there was nothing to do */
  | { kind: 'done'; result: string }
  /** due again in `delayMs`: for its next try, or because it was deferred. Without `queue`, by the queue that it came from */
  | { kind: 'again'; delayMs: number; queue?: DeliveryQueueName }
  /** no try is left, or none would help */
  | { kind: 'failed'; reason: string }

export interface DeliveryWorkerOptions extends QueueOptions {
  /** deliveries of the queue `first` that this process works on at a time; those of the queue `bulk` have a quarter as many places */
  concurrency: number
  /** finished jobs that stay for the dashboard; nothing else reads them */
  kept: { completed: number; failed: number }
  /**
   * Does one delivery of a job. Should not throw: an error that is not foreseen defers it for `ERROR_DELAY_MS`. A
   * lock that is lost meanwhile does not matter: the row's claim decides who sends.
   */
  process: (delivery: QueuedDelivery) => Promise<DeliveryEnd>
  /** Enqueues deliveries that are due again, each at its own time. */
  enqueue: (deliveries: EnqueuedDelivery[]) => Promise<void>
}

/** Where the deliveries of a queue stand in this process, for the watchdog. */
export interface WorkerProgress {
  active: number
  started: number
  /** the most that can be active */
  slots: number
}

export interface QueueWorker {
  start(): void
  /** Takes no more jobs, returns jobs that it has not begun, and resolves when the current deliveries have ended. */
  stop(): Promise<void>
  progress(): WorkerProgress
}

/** After a refused statement or a lost database: the delivery comes back, no try is spent. */
const ERROR_DELAY_MS = 1_000
/** Deliveries of one call of `enqueue`. */
const ENQUEUED_AT_ONCE = 1_000

/** How long finished jobs are kept at most, in seconds. BullMQ looks at their age when another job ends. */
const COMPLETED_KEPT_S = 3_600
const FAILED_KEPT_S = 604_800

/** Nothing runs before `start`. */
export function openQueueWorker(
  redis: Redis,
  name: DeliveryQueueName,
  options: DeliveryWorkerOptions,
): QueueWorker {
  const progress = { active: 0, started: 0, slots: options.concurrency }

  let stopping = false
  const work = async (delivery: QueuedDelivery): Promise<DeliveryEnd> => {
    if (stopping) return { kind: 'again', delayMs: 0 }
    progress.active++
    progress.started++
    try {
      return await options.process(delivery)
    } catch (error) {
      options.onError?.(error as Error)
      return { kind: 'again', delayMs: ERROR_DELAY_MS }
    } finally {
      progress.active--
    }
  }

  // Jobs that were fetched may name more deliveries than this process works on at a time: the others wait here.
  const inHand = openLimited(work, options.concurrency)
  const enqueue = coalesce<EnqueuedDelivery, void>(
    async deliveries => {
      await options.enqueue(deliveries)
      return deliveries.map(() => undefined)
    },
    { maxItems: ENQUEUED_AT_ONCE },
  )

  /**
   * A delivery is enqueued again when it ends itself, not when the whole job ends. A job lasts as long as its slowest
   * delivery, and one endpoint that hangs must not delay the retries of others.
   */
  const workOn = async (delivery: QueuedDelivery): Promise<string> => {
    const end = await inHand.push(delivery)
    const { deliveryId, webhookId } = delivery
    if (end.kind === 'done') return end.result
    if (end.kind === 'failed') throw new UnrecoverableError(`${deliveryId}: ${end.reason}`)
    const bulk = (end.queue ?? name) === 'bulk'
    await enqueue({ id: BigInt(deliveryId), webhookId: BigInt(webhookId), delayMs: end.delayMs, bulk })
    return 'enqueued anew'
  }

  /**
   * @returns what became of the deliveries of a job, for the dashboard
   * @throws UnrecoverableError when deliveries failed. Any other error is one of the queue: BullMQ tries the job again,
   *   and deliveries that ended or are not due have nothing to do then
   */
  const workTogether = async (deliveries: readonly QueuedDelivery[]): Promise<string> => {
    const settled = await Promise.allSettled(deliveries.map(workOn))
    const errors = settled.flatMap(each => (each.status === 'rejected' ? [each.reason as Error] : []))
    const lost = errors.find(error => !(error instanceof UnrecoverableError))
    if (lost) throw lost
    if (errors.length > 0) throw new UnrecoverableError(errors.map(error => error.message).join(', '))
    const counts: Record<string, number> = {}
    for (const each of settled)
      if (each.status === 'fulfilled') counts[each.value] = (counts[each.value] ?? 0) + 1
    return Object.entries(counts)
      .map(([result, count]) => `${count} ${result}`)
      .join(', ')
  }

  const worker = new Worker<unknown, string>(
    DELIVERY_QUEUES[name],
    async job => {
      // If a damaged job no longer names its delivery, the sweeper finds the row.
      if (!isDeliverJob(job.data)) throw new UnrecoverableError('the data of this job is not a DeliverJob')
      const { more = [], ...first } = job.data
      return workTogether([first, ...more])
    },
    {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      concurrency: options.concurrency,
      autorun: false,
      lockDuration: 30_000,
      stalledInterval: 30_000,
      // A stalled job is tried again without limit, because the claim on the row limits the tries.
      maxStalledCount: 100,
      removeOnComplete: { age: COMPLETED_KEPT_S, count: options.kept.completed },
      removeOnFail: { age: FAILED_KEPT_S, count: options.kept.failed },
    },
  )
  worker.on('error', error => options.onError?.(error))
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const close = () => {
    stopping = true
    return (closing ??= worker.close().then(() => running))
  }
  return {
    start: () => {
      running = worker.run()
      running.catch((error: unknown) => options.onError?.(error as Error))
    },
    stop: close,
    progress: () => ({ ...progress }),
  }
}
