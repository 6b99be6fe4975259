/** Numbers of a pod that are no settings. Clients know the times of pings from the handshake. */
export const REALTIME_TUNABLES = {
  /** How long the seats of a pod that died stay taken. */
  leaseMs: 15_000,
  /** How often rooms are compared with the store. */
  healEveryMs: 10_000,
  /**
   * How often clients that subscribed with `events: true` are notified of due dates, and of events that Redis lost.
   */
  lifecycleEveryMs: 5_000,
  /** How often clients are notified of expected payments that expired or were cancelled, and of changes that Redis lost. */
  expectationEveryMs: 1_000,
  /** Messages a connection may send, on average. */
  messagesPerSecond: 20,
  /** Messages a connection may send at once. */
  messageBurst: 250,
  /** Packets that may wait for a slow client before its connection is closed. */
  queuedPackets: 512,
  /** How often a client is asked whether it is still there. */
  pingEveryMs: 25_000,
  /** How long its answer may take before the connection is ended. */
  pingTimeoutMs: 20_000,
  /** How often an event stream is sent a comment, so that no proxy takes it for idle. */
  keepAliveEveryMs: 15_000,
  /** Over how long at most clients are sent away when the pod stops; see `drainWindowMs`. */
  longestDrainMs: 600_000,
}
export type RealtimeTunables = typeof REALTIME_TUNABLES

/** The part of the stop deadline that remains after the last client must be gone. */
const STOP_RESERVE_MS = 10_000

/** Over how long clients are sent away: all of the stop deadline but 10 s, or half of a short one. */
export const drainWindowMs = (stopDeadlineMs: number, { longestDrainMs }: RealtimeTunables): number =>
  Math.min(longestDrainMs, stopDeadlineMs - Math.min(STOP_RESERVE_MS, stopDeadlineMs / 2))
