import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * The queues of webhook deliveries. One delivery in one cycle of tries is one job. Deliveries of `bulk` have concurrency slots
 * of their own, so that however many they are, none of `first` waits for them.
 */
/** Two queues instead of priorities: a priority orders what waits, but frees no slot that a bulk delivery holds for ten seconds. */
export const DELIVERY_QUEUES = { first: 'deliveries', bulk: 'deliveries-bulk' } as const
export type DeliveryQueueName = keyof typeof DELIVERY_QUEUES
export const DELIVERY_QUEUE_NAMES = Object.keys(DELIVERY_QUEUES) as DeliveryQueueName[]

const Id = Type.String({ pattern: '^[0-9]{1,19}$' })

/**
 * What a job says of its delivery. A worker needs the ids, and the dashboard shows the rest. Postgres holds what is sent: no body, no
 * secret and no path of an endpoint is in Redis.
 */
export const DeliverJob = Type.Object({
  deliveryId: Id,
  webhookId: Id,
  gateway: Type.String(),
  trackingId: Type.Union([Type.String(), Type.Null()]),
  /** when the cycle of tries began, as ISO 8601 */
  cycle: Type.String(),
})
export type DeliverJob = Static<typeof DeliverJob>

const deliverJob = Compile(DeliverJob)

/** Whether the data of a job is of this shape. Anyone with access to Redis can write a job. */
export const isDeliverJob = (data: unknown): data is DeliverJob => deliverJob.Check(data)

/** What the queue is told of a delivery, as the statement that made it due returns it. */
export interface DeliveryRef {
  id: bigint
  webhookId: bigint
  /** when its cycle of tries began */
  openedAt: Date
  /** of this cycle */
  triesLeft: number
  type: string
  gateway: string
  /** of the endpoint's URL */
  host: string
  /** JSON as the body has it: a string, or the bytes of a memo; null: the body names none */
  trackingId: string | null
  /** of many that come together or come again, and so take turns apart from deliveries of what just happened */
  bulk?: boolean
}

/** 1 try and at most 3 retries. */
export const DELIVERY_TRIES = 4
