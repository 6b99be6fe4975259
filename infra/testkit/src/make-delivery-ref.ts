import type { DeliveryRef } from '@payment-tracking/contracts'

/** What the queue is told of a new delivery that has no row. */
export const makeDeliveryRef = (id: bigint, over: Partial<DeliveryRef> = {}): DeliveryRef => ({
  id,
  webhookId: 1n,
  openedAt: new Date('2026-11-29T10:00:00.000Z'),
  triesLeft: 4,
  type: 'payment.executed',
  gateway: '4Nd1mYb3yGateway',
  host: 'shop.example',
  trackingId: '"order-4711"',
  ...over,
})
