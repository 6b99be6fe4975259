// Notifies the API's processes which gateways' feeds have new entries, for the requests that wait. Each process also reads the
// database each second, and finds there what Redis lost.
import type { Redis } from 'ioredis'
import type { RedisKeys } from '../keys.js'

/** More gateways are sent as all. */
const MOST_NAMED = 200

/** Best effort: nobody depends on it. @returns how many processes were notified */
export async function signalFeeds(
  redis: Redis,
  keys: RedisKeys,
  gateways: readonly string[],
): Promise<number> {
  if (gateways.length === 0 || redis.status !== 'ready') return 0
  const named = gateways.length > MOST_NAMED ? null : gateways
  return redis.publish(keys.feeds, JSON.stringify(named)).catch(() => 0)
}

/** @param onSignal gets the gateways; null for all of them, also after the connection was away */
export function listenToFeeds(
  redis: Redis,
  keys: RedisKeys,
  onSignal: (gateways: readonly string[] | null) => void,
): void {
  redis.on('message', (_channel, message) => onSignal(JSON.parse(message) as string[] | null))
  redis.on(
    'ready',
    () =>
      void redis.subscribe(keys.feeds).then(
        () => onSignal(null),
        () => {},
      ),
  )
}
