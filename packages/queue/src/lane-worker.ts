// A worker of one of the two queues of deliveries, with concurrency slots of its own.
import {
  DELIVERY_QUEUES,
  DELIVERY_TRIES,
  isDeliverJob,
  type DeliveryLane,
  type QueuedDelivery,
} from '@payment-tracking/contracts'
import { DelayedError, UnrecoverableError, Worker, type Job } from 'bullmq'
import { promise as openLimited } from 'fastq'
import type { Redis } from 'ioredis'
import { queuePrefix, type QueueOptions } from './connection.js'
import type { EnqueuedDelivery } from './delivery-queue.js'

/** The result of a delivery. The row in Postgres holds the same; the job only shows it on the dashboard. */
export type JobEnd =
  /** delivered, or there was nothing to do */
  | { kind: 'done'; result: string }
  /** a try failed, the next one is due in `delayMs` */
  | { kind: 'retry'; delayMs: number; reason: string }
  /** held back without spending a try; `behind`: with many others, so it comes again behind what just happened */
  | { kind: 'held'; delayMs: number; behind?: boolean }
  /** no try is left, or none would help */
  | { kind: 'failed'; reason: string }

export interface DeliveryWorkerOptions extends QueueOptions {
  /** deliveries this process works on at a time; a quarter as many that come together or again are worked on besides */
  concurrency: number
  /** finished jobs that stay for the dashboard; nothing else reads them */
  kept: { completed: number; failed: number }
  /**
   * Does one delivery of a job. Should not throw: an error that is not foreseen holds it for `ERROR_DELAY_MS`. A
   * lock that is lost meanwhile does not matter: the row's claim decides who sends.
   */
  process: (delivery: QueuedDelivery) => Promise<JobEnd>
  /** Enqueues deliveries of a job of several anew: the job ends as a whole, each delivery is due at its own time. */
  enqueue: (deliveries: EnqueuedDelivery[]) => Promise<void>
}

/** Where the deliveries of a queue stand in this process, for the watchdog. */
export interface WorkerProgress {
  active: number
  started: number
  /** the most that can be active */
  slots: number
}

export interface LaneWorker {
  start(): void
  /** Takes no more jobs, returns jobs that it has not begun, and resolves when the current deliveries have ended. */
  stop(): Promise<void>
  progress(): WorkerProgress
}

/** After a refused statement or a lost database: the job comes back, no try is spent. */
const ERROR_DELAY_MS = 1_000

/** How long finished jobs are kept at most, in seconds. BullMQ looks at their age when another job ends. */
const COMPLETED_KEPT_S = 3_600
const FAILED_KEPT_S = 604_800

/** Carries the delay from the processor to the backoff strategy. */
class RetryIn extends Error {
  constructor(
    reason: string,
    readonly delayMs: number,
  ) {
    super(reason)
    this.name = 'DeliveryRefused'
  }
}

/** Nothing runs before `start`. */
export function openLaneWorker(redis: Redis, lane: DeliveryLane, options: DeliveryWorkerOptions): LaneWorker {
  const progress = { active: 0, started: 0, slots: options.concurrency }

  let stopping = false
  const work = async (delivery: QueuedDelivery): Promise<JobEnd> => {
    if (stopping) return { kind: 'held', delayMs: 0 }
    progress.active++
    progress.started++
    try {
      return await options.process(delivery)
    } catch (error) {
      options.onError?.(error as Error)
      return { kind: 'held', delayMs: ERROR_DELAY_MS }
    } finally {
      progress.active--
    }
  }

  // Jobs that were fetched may name more deliveries than this process works on at a time: the others wait here.
  const inHand = openLimited(work, options.concurrency)
  /** Deliveries of jobs of several that come again, until the next call of `options.enqueue`, and such calls. */
  const againTogether: EnqueuedDelivery[] = []
  const enqueuing = new Set<Promise<void>>()

  /** A retry keeps its time: few requests fail before a breaker opens. */
  const laneOf = (end: JobEnd & { kind: 'retry' | 'held' }): DeliveryLane =>
    end.kind === 'retry' ? 'first' : end.behind ? 'behind' : lane

  const settle = async (
    job: Job,
    token: string | undefined,
    { deliveryId, webhookId }: QueuedDelivery,
    end: JobEnd,
  ): Promise<string> => {
    if (end.kind === 'done') return end.result
    if (end.kind === 'failed') throw new UnrecoverableError(end.reason)
    if (laneOf(end) !== lane) {
      enqueueAgain({ deliveryId, webhookId }, end)
      return 'enqueued anew'
    }
    // The row counts the tries. A job may have lived longer than its row's round, so its own count must not
    // end it.
    if (end.kind === 'retry' && job.attemptsMade + 1 < DELIVERY_TRIES)
      throw new RetryIn(end.reason, end.delayMs)
    await job.moveToDelayed(Date.now() + end.delayMs, token)
    throw new DelayedError()
  }

  /**
   * Enqueues a retry when its own delivery ends, not when the whole job ends. A job lasts as long as its slowest delivery,
   * and one endpoint that hangs must not delay the retries of others.
   */
  const enqueueAgain = ({ deliveryId, webhookId }: QueuedDelivery, end: JobEnd): void => {
    if (end.kind !== 'retry' && end.kind !== 'held') return
    const again = {
      id: BigInt(deliveryId),
      webhookId: BigInt(webhookId),
      delayMs: end.delayMs,
      behind: laneOf(end) === 'behind',
    }
    if (againTogether.push(again) > 1) return
    // Deliveries that end in the same turn of the event loop share a call.
    setImmediate(() => {
      const call = options.enqueue(againTogether.splice(0))
      enqueuing.add(call)
      // The sweeper finds deliveries that could not be enqueued once they are overdue.
      call.catch((error: unknown) => options.onError?.(error as Error)).finally(() => enqueuing.delete(call))
    })
  }

  const workTogether = async (deliveries: readonly QueuedDelivery[]): Promise<string> => {
    const ends = await Promise.all(
      deliveries.map(async delivery => {
        const end = await inHand.push(delivery)
        enqueueAgain(delivery, end)
        return end
      }),
    )
    const failed = ends.flatMap((end, index) =>
      end.kind === 'failed' ? [`${deliveries[index]!.deliveryId}: ${end.reason}`] : [],
    )
    if (failed.length > 0) throw new UnrecoverableError(failed.join(', '))
    const again = ends.filter(end => end.kind !== 'done').length
    return `${ends.length - again} done, ${again} enqueued anew`
  }

  const worker = new Worker<unknown, string>(
    DELIVERY_QUEUES[lane],
    async (job, token) => {
      // If a damaged job no longer names its delivery, the sweeper finds the row.
      if (!isDeliverJob(job.data)) throw new UnrecoverableError('the data of this job is not a DeliverJob')
      const { more = [], ...first } = job.data
      return more.length === 0
        ? settle(job, token, first, await inHand.push(first))
        : workTogether([first, ...more])
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
      settings: {
        // BullMQ reads 0 as "at once" and -1 as "fail now"; neither is wanted here.
        backoffStrategy: (_made, _type, error) =>
          Math.max(1, error instanceof RetryIn ? error.delayMs : ERROR_DELAY_MS),
      },
    },
  )
  worker.on('error', error => options.onError?.(error))
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const close = () => {
    stopping = true
    return (closing ??= worker
      .close()
      .then(() => running)
      .then(async () => {
        await new Promise(resolve => setImmediate(resolve))
        await Promise.allSettled(enqueuing)
      }))
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
