import type { ChainOrder } from './chain-event.js'
import type { ChainPlace } from './identity.js'

/**
 * An incarnation of an address is the time from its Created event to its Deleted event. An address can be created
 * again, so what counts is its latest Created and its latest Deleted.
 */
export interface Incarnation {
  incarnationStart: ChainOrder | null
  deletedOrder: ChainOrder | null
}

/** The later of two places on the chain; null is before everything. */
export const laterOf = (a: ChainOrder | null, b: ChainOrder): ChainOrder => (a === null || b > a ? b : a)

/** An address exists when the latest of its Created and Deleted is a Created. */
export const isLive = ({ incarnationStart, deletedOrder }: Incarnation): boolean =>
  incarnationStart !== null && (deletedOrder === null || incarnationStart > deletedOrder)

/** Slot, transaction and index, without the event id that only makes an order total. */
const PLACE_LENGTH = 32

/**
 * Whether what stands at `order` belongs to the latest incarnation, the one `incarnationStart` began: at its place or after.
 * Two transactions of one slot share a place when nobody says which came first: then both count.
 */
export const isOfIncarnation = (
  incarnationStart: ChainOrder | null,
  order: ChainOrder | null,
): order is ChainOrder =>
  incarnationStart !== null &&
  order !== null &&
  order.slice(0, PLACE_LENGTH) >= incarnationStart.slice(0, PLACE_LENGTH)

/** The place on the chain that an order begins with, for readers that compare columns. */
export const placeOf = (order: ChainOrder): ChainPlace => ({
  slot: Number.parseInt(order.slice(0, 16), 16),
  transactionIndex: Number.parseInt(order.slice(16, 24), 16),
  index: Number.parseInt(order.slice(24, PLACE_LENGTH), 16),
})
