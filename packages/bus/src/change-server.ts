import type { NatsConnection } from 'nats'

/** An election takes 4 to 9 s, and a new connection shortens none; the next server may be the one that is cut off. */
const LEAST_BETWEEN_MS = 5_000
/** Longer than the client waits before it connects again. */
const CHECK_AFTER_MS = 2_000
const changedAt = new WeakMap<NatsConnection, number>()

/**
 * Connects to another server of the cluster. A server that is cut off from the others keeps its clients, and answers
 * nothing that needs a leader.
 */
export function changeServer(connection: NatsConnection): void {
  if (connection.info?.cluster === undefined) return
  const now = performance.now()
  if (now - (changedAt.get(connection) ?? -Infinity) < LEAST_BETWEEN_MS) return
  changedAt.set(connection, now)
  const left = connection.getServer()
  reconnect(connection)
  // The client tries servers in turn, and may begin with the one that it left.
  setTimeout(() => {
    if (connection.getServer() === left) reconnect(connection)
  }, CHECK_AFTER_MS).unref()
}

const reconnect = (connection: NatsConnection): void => {
  if (!connection.isClosed()) connection.reconnect().catch(() => {})
}
