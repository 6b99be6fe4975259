// Chain positions: the order of a payment, with or without the id of its event. They compare as text.
import type { ChainOrder } from '@payment-tracking/domain'

/**
 * From where details of payments can differ: after an order, at a position (an order without the id of its event), or one of the
 * two below.
 */
export type From = ChainOrder

/** The details of all payments can differ. */
export const FROM_START: From = ''
/** Those of none can: after every order. */
export const FROM_NONE: From = `7${'f'.repeat(63)}`

/** Every payment at the chain position of an order comes after this. */
export const chainPositionOf = (order: ChainOrder): From => order.slice(0, 32)

export const earlier = (a: From, b: From): From => (a < b ? a : b)
