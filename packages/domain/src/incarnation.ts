import type { ChainOrder } from './chain-event.js'

/**
 * An incarnation of an address is the time from its Created event to its Deleted event. An address can be created
 * again, so what counts is its latest Created and its latest Deleted.
 */
export interface Incarnation {
  lifeStart: ChainOrder | null
  deletedOrder: ChainOrder | null
}

/** The later of two places on the chain; null is before everything. */
export const laterOf = (a: ChainOrder | null, b: ChainOrder): ChainOrder => (a === null || b > a ? b : a)

/** An address exists when the latest of its Created and Deleted is a Created. */
export const isLive = ({ lifeStart, deletedOrder }: Incarnation): boolean =>
  lifeStart !== null && (deletedOrder === null || lifeStart > deletedOrder)

/** Slot and index, without the event id that only makes an order total. */
const PLACE_LENGTH = 32

/**
 * Whether an event at `order` belongs to the latest incarnation: it stands at the place of `lifeStart` or after it.
 * Two transactions of one slot may share a place. The events do not tell which came first, so both belong.
 */
export const isOfIncarnation = (
  lifeStart: ChainOrder | null,
  order: ChainOrder | null,
): order is ChainOrder =>
  lifeStart !== null && order !== null && order.slice(0, PLACE_LENGTH) >= lifeStart.slice(0, PLACE_LENGTH)

/** Slot and index of a place on the chain, for readers that compare columns. */
export const placeOf = (order: ChainOrder): { slot: bigint; index: bigint } => ({
  slot: BigInt(`0x${order.slice(0, 16)}`),
  index: BigInt(`0x${order.slice(16, PLACE_LENGTH)}`),
})
