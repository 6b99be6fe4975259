// The rates that gateways chose for their endpoints, kept over all workers by slots in Redis: no worker holds a share that it could
// leave unused. Caps and breakers count for each worker.
import {
  pauseRate,
  takeSlots,
  type RedisConnections,
  type Slot,
  type SlotRequest,
} from '@payment-tracking/redis'
import { coalesce } from '@payment-tracking/runtime'

/** Neither rejects. */
export interface ChosenRates {
  /** Takes a slot of an endpoint's rate. */
  take(request: SlotRequest): Promise<Slot>
  /** Gives out no slot of it for so long, to no worker. */
  pause(id: string, forMs: number): Promise<void>
}

const LIMITS = { maxItems: 256, concurrency: 2 }
/** Without Redis nobody can know what other workers send. */
const UNKNOWN: Slot = { free: false, inMs: 1_000 }

export function buildChosenRates(redis: Pick<RedisConnections, 'commands' | 'keys'>): ChosenRates {
  const take = coalesce<SlotRequest, Slot>(requests => takeSlots(redis, requests), LIMITS)
  return {
    take: request => take(request).catch(() => UNKNOWN),
    // Without Redis nobody takes a slot.
    pause: (id, forMs) => pauseRate(redis, id, forMs).catch(() => undefined),
  }
}
