import { Type, type Static } from 'typebox'

/** The queue of webhook deliveries. Jobs carry ids only: Postgres holds everything else. */
export const DELIVERIES_QUEUE = 'deliveries'

const Id = Type.String({ pattern: '^[0-9]{1,19}$' })

/** The webhook's id is there so that a worker can hold a job back before it reads a row. */
export const DeliverJob = Type.Object({ deliveryId: Id, webhookId: Id })
export type DeliverJob = Static<typeof DeliverJob>

/** A delivery as it is handed from the transaction that made it to the queue. */
export interface DeliveryRef {
  id: bigint
  webhookId: bigint
}

/** 1 try and at most 3 retries. */
export const DELIVERY_TRIES = 4
