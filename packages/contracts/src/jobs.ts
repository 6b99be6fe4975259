import { Type, type Static } from 'typebox'

/** The queue of webhook deliveries. Jobs carry ids only: Postgres holds everything else. */
export const DELIVERIES_QUEUE = 'deliveries'

const Id = Type.String({ pattern: '^[0-9]{1,19}$' })

/** A delivery in a job. The webhook's id is there so that a worker can hold it back before it reads a row. */
export const QueuedDelivery = Type.Object({ deliveryId: Id, webhookId: Id })
export type QueuedDelivery = Static<typeof QueuedDelivery>

/** Deliveries that one job names at most. */
export const DELIVERIES_PER_JOB = 16

/**
 * One delivery, or several that are due together: Redis and BullMQ cost by the job. A worker of a version that
 * does not know `more` sends the first one, and the sweeper brings the others.
 */
export const DeliverJob = Type.Object({
  ...QueuedDelivery.properties,
  more: Type.Optional(Type.Array(QueuedDelivery, { maxItems: DELIVERIES_PER_JOB - 1 })),
})
export type DeliverJob = Static<typeof DeliverJob>

/** A delivery as it is handed from the transaction that made it to the queue. */
export interface DeliveryRef {
  id: bigint
  webhookId: bigint
}

/** 1 try and at most 3 retries. */
export const DELIVERY_TRIES = 4
