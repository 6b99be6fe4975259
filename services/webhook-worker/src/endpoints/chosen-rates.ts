// The rates that gateways chose for their endpoints, kept over all workers.
import { takeSlots, type RedisConnections, type Slot, type SlotRequest } from '@payment-tracking/redis'
import { coalesce } from '@payment-tracking/runtime'

/** Takes a slot of an endpoint's rate. Never rejects. */
export type TakeSlot = (request: SlotRequest) => Promise<Slot>

const LIMITS = { maxItems: 256, concurrency: 2 }
/** Without Redis nobody can know what other workers send. */
const UNKNOWN: Slot = { free: false, inMs: 1_000 }

export function buildChosenRates(redis: Pick<RedisConnections, 'commands' | 'keys'>): TakeSlot {
  const take = coalesce<SlotRequest, Slot>(requests => takeSlots(redis, requests), LIMITS)
  return request => take(request).catch(() => UNKNOWN)
}
