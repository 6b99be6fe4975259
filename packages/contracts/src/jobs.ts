import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * The queues of webhook deliveries. Jobs carry ids only: Postgres holds everything else. Deliveries of `bulk` have
 * concurrency slots of their own, so that however many they are, none of `first` waits for them.
 */
export const DELIVERY_QUEUES = { first: 'deliveries', bulk: 'deliveries-bulk' } as const
export type DeliveryQueueName = keyof typeof DELIVERY_QUEUES
export const DELIVERY_QUEUE_NAMES = Object.keys(DELIVERY_QUEUES) as DeliveryQueueName[]

const Id = Type.String({ pattern: '^[0-9]{1,19}$' })

/** A delivery in a job. With the webhook's id a worker can hold the delivery back before it reads a row. */
export const QueuedDelivery = Type.Object({ deliveryId: Id, webhookId: Id })
export type QueuedDelivery = Static<typeof QueuedDelivery>

/** The most deliveries that one job names. */
export const DELIVERIES_PER_JOB = 16

/**
 * One delivery, or several that are due together, because the cost in Redis and BullMQ is per job. A worker of a release
 * that does not know `more` sends the first delivery, and the sweeper enqueues the others again.
 */
export const DeliverJob = Type.Object({
  ...QueuedDelivery.properties,
  more: Type.Optional(Type.Array(QueuedDelivery, { maxItems: DELIVERIES_PER_JOB - 1 })),
})
export type DeliverJob = Static<typeof DeliverJob>

const deliverJob = Compile(DeliverJob)

/** Whether the data of a job is of this shape. Anyone with access to Redis or the dashboard can write a job. */
export const isDeliverJob = (data: unknown): data is DeliverJob => deliverJob.Check(data)

/** The ids of a delivery, as the transaction that inserted it returns them for the queue. */
export interface DeliveryRef {
  id: bigint
  webhookId: bigint
  /** of many that come together or come again, and so take turns apart from deliveries of what just happened */
  bulk?: boolean
}

/** 1 try and at most 3 retries. */
export const DELIVERY_TRIES = 4
