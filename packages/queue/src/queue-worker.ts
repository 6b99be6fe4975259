// A worker of one of the two queues of deliveries, with concurrency slots of its own.
//
// A job is one delivery in one cycle of its tries. A request that failed spends an attempt of the job, and BullMQ delays the job for as
// long as the row says. What may not go now spends none: the job is moved to the delayed ones, and its log says why. The row in
// Postgres is the truth: it says when a try is due, and which one is the last.
import {
  DELIVERY_QUEUES,
  isDeliverJob,
  type DeliverJob,
  type DeliveryQueueName,
} from '@payment-tracking/contracts'
import { DelayedError, UnrecoverableError, Worker, type Job } from 'bullmq'
import type { Redis } from 'ioredis'
import { queuePrefix, type QueueOptions } from './connection.js'

/** What became of a delivery. The row in Postgres says the same. */
export type DeliveryEnd =
  /** delivered, or there was nothing to do */
  | { kind: 'done'; result: string }
  /** the request failed, which spends an attempt; the next try is due in `retryInMs` */
  | { kind: 'refused'; reason: string; retryInMs: number }
  /** no try is left, or none would help */
  | { kind: 'failed'; reason: string }
  /** it may not go now, which spends no attempt; due again in `forMs` */
  | { kind: 'wait'; reason: string; forMs: number }

export interface DeliveryWorkerOptions extends QueueOptions {
  /** deliveries of the queue `first` that this process works on at a time; those of the queue `bulk` have a quarter as many places */
  concurrency: number
  /** ended jobs that stay for the dashboard */
  kept: { completed: number; failed: number }
  /**
   * Does one delivery. Should not throw: an error that is not foreseen makes it wait for `ERROR_DELAY_MS`. A lock that is lost meanwhile
   * does not matter: the row's claim decides who sends.
   */
  process: (delivery: DeliverJob) => Promise<DeliveryEnd>
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
/** The job comes this long after the row is due, so that the job is never early. */
const SLACK_MS = 25
/** After the death of its worker, a job is another worker's within the sum of both. */
const LOCK_MS = 10_000
const STALLED_CHECK_MS = 5_000

/** How long ended jobs are kept at most, in seconds. BullMQ looks at their age when another job ends. */
const COMPLETED_KEPT_S = 3_600
const FAILED_KEPT_S = 604_800

/** Thrown for a request that failed: BullMQ counts an attempt. The dashboard shows the reason; where it was thrown says nothing. */
class RefusedError extends Error {
  override readonly name = 'RefusedError'

  constructor(
    reason: string,
    readonly retryInMs: number,
  ) {
    super(reason)
    this.stack = reason
  }
}

function failedFor(reason: string): UnrecoverableError {
  const error = new UnrecoverableError(reason)
  error.stack = reason
  return error
}

/** Delays a job without spending an attempt. */
async function putOff(
  job: Job,
  token: string,
  { reason, forMs }: { reason: string; forMs: number },
): Promise<void> {
  const at = Date.now() + forMs + SLACK_MS
  await Promise.all([
    job.log(`${new Date().toISOString()} ${reason}: waits until ${new Date(at).toISOString()}`),
    job.moveToDelayed(at, token),
  ])
}

/** Nothing runs before `start`. */
export function openQueueWorker(
  redis: Redis,
  name: DeliveryQueueName,
  options: DeliveryWorkerOptions,
): QueueWorker {
  const progress = { active: 0, started: 0, slots: options.concurrency }

  let stopping = false
  const work = async (delivery: DeliverJob): Promise<DeliveryEnd> => {
    if (stopping) return { kind: 'wait', reason: 'the worker stops', forMs: 0 }
    progress.active++
    progress.started++
    try {
      return await options.process(delivery)
    } catch (error) {
      options.onError?.(error as Error)
      return { kind: 'wait', reason: 'an error of the worker', forMs: ERROR_DELAY_MS }
    } finally {
      progress.active--
    }
  }

  const worker = new Worker<unknown, string>(
    DELIVERY_QUEUES[name],
    async (job, token) => {
      // If a damaged job no longer names its delivery, the sweeper finds the row.
      if (!isDeliverJob(job.data)) throw failedFor('the data of this job is not a DeliverJob')
      const end = await work(job.data)
      if (end.kind === 'done') return end.result
      if (end.kind === 'failed') throw failedFor(end.reason)
      if (end.kind === 'refused') throw new RefusedError(end.reason, end.retryInMs)
      // If its lock was lost, another worker has the job, or the sweeper finds the row: that spends no attempt either.
      await putOff(job, token!, end).catch((error: unknown) => options.onError?.(error as Error))
      throw new DelayedError()
    },
    {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      concurrency: options.concurrency,
      autorun: false,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // A stalled job is tried again without limit, because the claim on the row limits the tries.
      maxStalledCount: 100,
      removeOnComplete: { age: COMPLETED_KEPT_S, count: options.kept.completed },
      removeOnFail: { age: FAILED_KEPT_S, count: options.kept.failed },
      settings: {
        backoffStrategy: (_attempts, _type, error) =>
          (error instanceof RefusedError ? error.retryInMs : ERROR_DELAY_MS) + SLACK_MS,
      },
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
