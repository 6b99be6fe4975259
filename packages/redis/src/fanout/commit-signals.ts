// Notifies the API's processes of each commit of ingest: the stream of all events and the requests that wait for feeds look at the
// database at once. Each process also looks every two seconds by itself, and finds what Redis lost.
import type { Redis } from 'ioredis'
import type { RedisKeys } from '../keys.js'
import { listenToSignals, publishSignal } from './signals.js'

export interface CommitSignal {
  /** the last event that was stored, in decimal digits; null when none was */
  position: string | null
  /** whose feeds go on, or whose waiting requests must be checked; null for all */
  gateways: readonly string[] | null
}

/** More gateways are sent as all. */
const MOST_NAMED = 200

/** @returns how many processes were notified */
export async function signalCommit(
  redis: Redis,
  keys: RedisKeys,
  { position, gateways }: CommitSignal,
): Promise<number> {
  if (position === null && gateways?.length === 0) return 0
  const named = gateways === null || gateways.length > MOST_NAMED ? null : gateways
  return publishSignal(redis, keys.commits, { position, gateways: named } satisfies CommitSignal)
}

/** @param onSignal gets each signal; of anything after the connection was away */
export const listenToCommits = (
  redis: Redis,
  keys: RedisKeys,
  onSignal: (signal: CommitSignal) => void,
): void =>
  listenToSignals<CommitSignal>(redis, keys.commits, signal =>
    onSignal(signal ?? { position: null, gateways: null }),
  )
