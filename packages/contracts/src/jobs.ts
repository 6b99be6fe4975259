import { Type, type Static } from 'typebox'

/** The queue of webhook deliveries. Jobs carry ids only: Postgres holds everything else. */
export const DELIVERIES_QUEUE = 'deliveries'

export const DeliverJob = Type.Object({ deliveryId: Type.String({ pattern: '^[0-9]+$' }) })
export type DeliverJob = Static<typeof DeliverJob>

/** 1 try and at most 3 retries. */
export const DELIVERY_TRIES = 4
