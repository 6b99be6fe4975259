import type { ChainOrder } from './chain-event.js'

/** The registers of an address that can be closed and used again: the latest Created and Deleted. */
export interface Life {
  lifeStart: ChainOrder | null
  deletedOrder: ChainOrder | null
}

/** The later of two places on the chain; null is before everything. */
export const laterOf = (a: ChainOrder | null, b: ChainOrder): ChainOrder => (a === null || b > a ? b : a)

/** An address exists when the latest of its Created and Deleted is a Created. */
export const isLive = ({ lifeStart, deletedOrder }: Life): boolean =>
  lifeStart !== null && (deletedOrder === null || lifeStart > deletedOrder)

/** Slot and index, without the event id that only makes an order total. */
const PLACE_LENGTH = 32

/**
 * Whether what stands at `order` belongs to the latest life, the one `lifeStart` began: at its place or after.
 * Two transactions of one slot share a place; which came first the events do not tell, so both count.
 */
export const isOfLife = (lifeStart: ChainOrder | null, order: ChainOrder | null): order is ChainOrder =>
  lifeStart !== null && order !== null && order.slice(0, PLACE_LENGTH) >= lifeStart.slice(0, PLACE_LENGTH)

/** Slot and index of a place on the chain, for readers that compare columns. */
export const placeOf = (order: ChainOrder): { slot: bigint; index: bigint } => ({
  slot: BigInt(`0x${order.slice(0, 16)}`),
  index: BigInt(`0x${order.slice(16, PLACE_LENGTH)}`),
})
