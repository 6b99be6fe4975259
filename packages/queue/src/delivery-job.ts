// What a delivery and one cycle of its tries look like as a job of BullMQ. BullMQ counts and delays the tries, so its dashboard shows
// them. Which try is the last, and when one is due, the delivery's row says: Redis may lose all jobs.
import { type DeliverJob, type DeliveryRef } from '@payment-tracking/contracts'
import type { BulkJobOptions, DefaultJobOptions } from 'bullmq'

/** Each cycle of a delivery has a job of its own, so a failed one stays on the dashboard when the delivery is sent again. */
export const jobIdOf = ({ id, openedAt }: DeliveryRef): string => `${id}-${openedAt.getTime()}`

export const JOB_OPTIONS: DefaultJobOptions = {
  // By the name alone: the worker's strategy says the delay that the row has.
  backoff: { type: 'exponential with jitter' },
  /** the newest reasons why it waited */
  keepLogs: 8,
}

interface BulkJob {
  name: string
  data: DeliverJob
  opts: BulkJobOptions
}

/** The incumbent's format has the bytes of the memo, which end with zeros. */
const readTrackingId = (told: string | number[]): string | null =>
  typeof told === 'string' ? told : Buffer.from(told).toString().replace(/\0+$/, '') || null

export function toJob(delivery: DeliveryRef): BulkJob {
  const { id, webhookId, openedAt, triesLeft, type, host, gateway, trackingId } = delivery
  return {
    name: `${type} → ${host}`,
    data: {
      deliveryId: id.toString(),
      webhookId: webhookId.toString(),
      gateway,
      trackingId: trackingId === null ? null : readTrackingId(JSON.parse(trackingId) as string | number[]),
      cycle: openedAt.toISOString(),
    },
    // Without a try the job ends the row: the last request was interrupted.
    opts: { jobId: jobIdOf(delivery), attempts: Math.max(1, triesLeft) },
  }
}
