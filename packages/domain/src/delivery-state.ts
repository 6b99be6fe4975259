// The life of a delivery. Postgres holds the state; this table is the only place that says where it goes.
//
// pending    due at `due_at`: the first try, or the next one
// waiting    the same, held back by a cap or an open breaker: no try was spent
// delivered  the endpoint answered 2xx
// failed     refused, with no try left or none wanted
// cancelled  the webhook was inactive, gone or deleted before the endpoint accepted
//
// The last three are ends. Only a redelivery leads out of them, except that an answer which arrives late (the
// worker was paused, its claim was taken over) may still turn an end into `delivered`: it happened.

export const DELIVERY_STATES = ['pending', 'waiting', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const OPEN_DELIVERY_STATES = ['pending', 'waiting'] as const satisfies readonly DeliveryState[]

/** What can happen to a delivery. */
export type DeliveryEvent =
  /** an attempt was answered 2xx */
  | 'accepted'
  /** an attempt failed and a try is left */
  | 'refused'
  /** an attempt failed and none is left */
  | 'exhausted'
  /** the endpoint answered 410: no try will help */
  | 'gone'
  /** a cap or the breaker held it back */
  | 'held'
  /** its webhook became inactive or was deleted */
  | 'cancelled'
  /** somebody asked for it again */
  | 'redelivered'

/** Every pair is listed; the compiler rejects a gap. */
export const NEXT_DELIVERY_STATE: Record<DeliveryState, Record<DeliveryEvent, DeliveryState>> = {
  pending: {
    accepted: 'delivered',
    refused: 'pending',
    exhausted: 'failed',
    gone: 'failed',
    held: 'waiting',
    cancelled: 'cancelled',
    redelivered: 'pending',
  },
  waiting: {
    accepted: 'delivered',
    refused: 'pending',
    exhausted: 'failed',
    gone: 'failed',
    held: 'waiting',
    cancelled: 'cancelled',
    redelivered: 'pending',
  },
  delivered: {
    accepted: 'delivered',
    refused: 'delivered',
    exhausted: 'delivered',
    gone: 'delivered',
    held: 'delivered',
    cancelled: 'delivered',
    redelivered: 'pending',
  },
  failed: {
    accepted: 'delivered',
    refused: 'failed',
    exhausted: 'failed',
    gone: 'failed',
    held: 'failed',
    cancelled: 'failed',
    redelivered: 'pending',
  },
  cancelled: {
    accepted: 'delivered',
    refused: 'cancelled',
    exhausted: 'cancelled',
    gone: 'cancelled',
    held: 'cancelled',
    cancelled: 'cancelled',
    redelivered: 'pending',
  },
}

export const isOpenDelivery = (state: DeliveryState): boolean =>
  (OPEN_DELIVERY_STATES as readonly DeliveryState[]).includes(state)
