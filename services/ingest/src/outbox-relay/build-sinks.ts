import type { DeliveryQueue } from '@payment-tracking/queue'
import type { RedisConnections } from '@payment-tracking/redis'
import type { RelaySinks } from './outbox-relay.js'

/** The relay's sinks in Redis: pub/sub for payments and life-cycle events, the queue for deliveries. */
export const buildSinks = (
  redis: Pick<RedisConnections, 'announce' | 'signalCommit'>,
  queue: Pick<DeliveryQueue, 'enqueueDeliveries'>,
): RelaySinks => ({
  announce: announcement => redis.announce(announcement),
  signalCommit: signal => redis.signalCommit(signal),
  enqueue: deliveries => queue.enqueueDeliveries(deliveries),
})
