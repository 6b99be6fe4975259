import { DELIVERIES_QUEUE, DELIVERY_TRIES, type DeliverJob } from '@payment-tracking/contracts'
import { DelayedError, UnrecoverableError, Worker, type Job } from 'bullmq'
import { connectConsumer, queuePrefix, refuseEviction, type QueueOptions } from './connection.js'
import { KEPT_JOBS } from './delivery-queue.js'

/** What became of a job. The row in Postgres says the same; the job only shows it on the dashboard. */
export type JobEnd =
  /** delivered, or there was nothing to do */
  | { kind: 'done'; result: string }
  /** a try failed, the next one is due in `delayMs` */
  | { kind: 'retry'; delayMs: number; reason: string }
  /** held back without spending a try */
  | { kind: 'held'; delayMs: number }
  /** no try is left, or none would help */
  | { kind: 'failed'; reason: string }

export interface DeliveryWorkerOptions extends QueueOptions {
  /** jobs this process works on at a time */
  concurrency: number
  /**
   * Does one job. Should not throw: an error that is not foreseen holds the job for `ERROR_DELAY_MS`. A lock
   * that is lost meanwhile does not matter: the row's claim decides who sends.
   */
  process: (job: DeliverJob) => Promise<JobEnd>
}

/** Where the running jobs of a worker stand, for the watchdog. */
export interface WorkerProgress {
  active: number
  started: number
}

export interface DeliveryWorker {
  start(): void
  /** Takes no more jobs and resolves when those in hand have ended. */
  stop(): Promise<void>
  progress(): WorkerProgress
  close(): Promise<void>
}

/** After a refused statement or a lost database: the job comes back, no try is spent. */
const ERROR_DELAY_MS = 1_000

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

/**
 * Opens a worker of the delivery queue; nothing runs before `start`.
 * Locks last 30 s and are renewed at half of that; a job whose worker died is given to another worker by
 * BullMQ's own check, and the row's claim decides whether there is anything left to do.
 * @throws QueueEvictionError when Redis is set to evict keys
 */
export async function openDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const redis = connectConsumer(options)
  try {
    await refuseEviction(redis)
  } catch (error) {
    redis.disconnect()
    throw error
  }
  const progress = { active: 0, started: 0 }

  const settle = async (job: Job<DeliverJob>, token: string | undefined, end: JobEnd): Promise<string> => {
    if (end.kind === 'done') return end.result
    if (end.kind === 'failed') throw new UnrecoverableError(end.reason)
    // The row counts the tries. A job may have lived longer than its row's round, so its own count must not
    // end it.
    if (end.kind === 'retry' && job.attemptsMade + 1 < DELIVERY_TRIES)
      throw new RetryIn(end.reason, end.delayMs)
    await job.moveToDelayed(Date.now() + end.delayMs, token)
    throw new DelayedError()
  }

  const worker = new Worker<DeliverJob, string>(
    DELIVERIES_QUEUE,
    async (job, token) => {
      progress.active++
      progress.started++
      let end: JobEnd
      try {
        end = await options.process(job.data)
      } catch (error) {
        options.onError?.(error as Error)
        end = { kind: 'held', delayMs: ERROR_DELAY_MS }
      } finally {
        progress.active--
      }
      return settle(job, token, end)
    },
    {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      concurrency: options.concurrency,
      autorun: false,
      lockDuration: 30_000,
      stalledInterval: 30_000,
      // A stall is no fault of the job: the row's claim bounds the tries.
      maxStalledCount: 100,
      ...KEPT_JOBS,
      settings: {
        // 0 would mean "at once" and -1 "fail now": neither is ever meant here.
        backoffStrategy: (_made, _type, error) =>
          Math.max(1, error instanceof RetryIn ? error.delayMs : ERROR_DELAY_MS),
      },
    },
  )
  worker.on('error', error => options.onError?.(error))
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const close = () => (closing ??= worker.close().then(() => running))
  return {
    start: () => {
      running = worker.run()
      running.catch((error: unknown) => options.onError?.(error as Error))
    },
    stop: close,
    progress: () => ({ ...progress }),
    close: async () => {
      await close()
      redis.disconnect()
    },
  }
}
