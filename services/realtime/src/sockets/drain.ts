import type { RealtimeMetrics } from '../metrics.js'
import { closeWhenSent, type EngineConnection } from '../connections/engine-connection.js'
import type { SocketServer } from './socket-server.js'

/**
 * Sends the clients of a pod that is going away to other pods: each is told at once when to come again, at
 * a time of its own within the window, and closed with RESTART when it did not. Payments go on meanwhile.
 * @returns when all are gone
 */
export async function drainSockets(
  io: SocketServer,
  windowMs: number,
  metrics: RealtimeMetrics,
): Promise<void> {
  const leaving = [...io.of('/').sockets.values()].map(socket => {
    const afterMs = Math.round(Math.random() * windowMs)
    socket.emit('reconnect', { type: 'reconnect', data: { afterMs }, timestamp: Date.now() })
    return new Promise<void>(resolve => {
      const timer = setTimeout(() => {
        closeWhenSent(socket.conn as unknown as EngineConnection, 'RESTART', metrics)
      }, afterMs)
      socket.once('disconnect', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  })
  await Promise.all(leaving)
}
