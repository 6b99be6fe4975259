// The states of a delivery and what moves it from one to the next. The row in Postgres holds the state, and the
// statements of packages/store/src/deliveries move it. `packages/store/test/deliveries/delivery-states.test.ts` drives every
// pair of this table through those statements and compares.
//
// pending    due at `due_at`: the first try, or the next one
// waiting    like pending, but deferred by a cap or an open breaker; no try was used up
// delivered  the endpoint answered 2xx
// failed     no attempt was accepted, and no try is left or could succeed
// cancelled  the webhook was inactive or deleted before an attempt was accepted

export const DELIVERY_STATES = ['pending', 'waiting', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** What can happen to a delivery. */
export const DELIVERY_EVENTS = [
  /** a worker takes the delivery for an attempt */
  'claimed',
  /** a worker wants to claim, but the last try was interrupted and no try is left */
  'spent',
  /** an attempt was answered 2xx */
  'accepted',
  /** an attempt failed and a try is left */
  'refused',
  /** an attempt failed and no try is left */
  'exhausted',
  /** the endpoint answered 410 */
  'gone',
  /** a cap or the breaker defers the delivery */
  'deferred',
  /** the webhook is inactive or deleted */
  'cancelled',
  /** the gateway or an operator asks for a new cycle */
  'redelivered',
] as const
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number]

/**
 * The next state, by event and state. An event that is not listed for a state leaves the delivery as it is: an attempt
 * whose claim was taken over, for example, may report its failure after the delivery ended. Only a late `accepted`
 * still counts then, because the endpoint did accept.
 */
const NEXT: Record<DeliveryEvent, Partial<Record<DeliveryState, DeliveryState>>> = {
  claimed: { pending: 'pending', waiting: 'pending' },
  spent: { pending: 'failed', waiting: 'failed' },
  accepted: { pending: 'delivered', waiting: 'delivered', failed: 'delivered', cancelled: 'delivered' },
  refused: { pending: 'pending' },
  exhausted: { pending: 'failed' },
  gone: { pending: 'failed' },
  deferred: { pending: 'waiting', waiting: 'waiting' },
  cancelled: { pending: 'cancelled', waiting: 'cancelled' },
  redelivered: {
    pending: 'pending',
    waiting: 'pending',
    delivered: 'pending',
    failed: 'pending',
    cancelled: 'pending',
  },
}

/** @returns the state of a delivery after an event; the same state where the event has no effect */
export const nextDeliveryState = (state: DeliveryState, event: DeliveryEvent): DeliveryState =>
  NEXT[event][state] ?? state
