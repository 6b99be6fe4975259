// Signals between processes by pub/sub. One may be lost: whoever listens finds the same in Postgres, later.
import type { Redis } from 'ioredis'

/** Best effort: nobody depends on it. @returns how many processes were notified */
export const publishSignal = async (redis: Redis, channel: string, signal: unknown): Promise<number> =>
  redis.status === 'ready' ? redis.publish(channel, JSON.stringify(signal)).catch(() => 0) : 0

/**
 * @param redis a connection of the listeners' own
 * @param onSignal gets each signal; null for any that was lost while the connection was away
 */
export function listenToSignals<Signal>(
  redis: Redis,
  channel: string,
  onSignal: (signal: Signal | null) => void,
): void {
  redis.on('message', (_channel, message) => onSignal(JSON.parse(message) as Signal))
  redis.on(
    'ready',
    () =>
      void redis.subscribe(channel).then(
        () => onSignal(null),
        () => {},
      ),
  )
}
