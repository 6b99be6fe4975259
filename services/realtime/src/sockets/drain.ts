import type { RealtimeMetrics } from '../metrics.js'
import { closeWhenSent, type EngineConnection } from '../connections/engine-connection.js'
import type { SocketServer } from './socket-server.js'

/**
 * Sends the clients of a stopping pod to other pods. Each client is told at once when to reconnect, at its own time
 * within the window. A client that is still connected then is closed with RESTART. Payments continue meanwhile.
 * @returns when all clients are gone
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
