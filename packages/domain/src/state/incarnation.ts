import type { ChainEvent, ChainOrder } from '../messages/chain-event.js'

/**
 * An incarnation of an address is the time from its Created event to its Deleted event. An address can be created
 * again, so what counts is its latest Created and its latest Deleted.
 */
export interface Incarnation {
  incarnationStart: ChainOrder | null
  deletedOrder: ChainOrder | null
}

/** The later of two chain positions; null is before everything. */
export const laterOf = (a: ChainOrder | null, b: ChainOrder): ChainOrder => (a === null || b > a ? b : a)

/** An address exists when the latest of its Created and Deleted is a Created. */
export const isLive = ({ incarnationStart, deletedOrder }: Incarnation): boolean =>
  incarnationStart !== null && (deletedOrder === null || incarnationStart > deletedOrder)

/** Slot, transaction and index, without the event id that only makes an order total. */
const POSITION_LENGTH = 32

/**
 * Whether what stands at `order` belongs to the latest incarnation, the one `incarnationStart` began: at its position or after.
 * Two transactions of one slot share a position when nobody says which came first: then both count.
 */
export const isOfIncarnation = (
  incarnationStart: ChainOrder | null,
  order: ChainOrder | null,
): order is ChainOrder => incarnationStart !== null && order !== null && isAtOrAfter(order, incarnationStart)

/** Whether `order` stands at the chain position of `other` or after it, whatever their ids are. */
export const isAtOrAfter = (order: ChainOrder, other: ChainOrder): boolean =>
  order >= other.slice(0, POSITION_LENGTH)

type FoldedEvent = Pick<ChainEvent, 'order' | 'effect'>

const bounds = ({ effect }: FoldedEvent): boolean =>
  effect.kind === 'policy-created' || effect.kind === 'policy-deleted'

/**
 * Compares events for a fold: chain order, and at one position the events that begin or end an incarnation come first. Events
 * of one transaction share a position when the publisher sends no index.
 */
export function compareForFold(a: FoldedEvent, b: FoldedEvent): number {
  if (bounds(a) !== bounds(b) && a.order.startsWith(b.order.slice(0, POSITION_LENGTH)))
    return bounds(a) ? -1 : 1
  if (a.order === b.order) return 0
  return a.order < b.order ? -1 : 1
}
