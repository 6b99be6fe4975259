// The wire between one process and one server: it can be cut, hold everything back, or be slow.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Link {
  port: number
  /** Breaks every connection; new ones are accepted. */
  cut(): void
  /** Lets nothing through, in either direction, and breaks nothing. */
  stall(on: boolean): void
  /** Holds each piece back for so long, in each direction. */
  slow(delayMs: number): void
  close(): Promise<void>
}

interface Piece {
  bytes: Buffer
  dueMs: number
}

/** A queue this long makes its sender wait, as a full wire does. */
const MOST_PIECES = 256

export async function openLink(targetPort: number): Promise<Link> {
  const sockets = new Set<Socket>()
  const pumps = new Set<() => void>()
  let stalled = false
  let delayMs = 0

  const relay = (from: Socket, to: Socket): void => {
    const queue: Piece[] = []
    let ended = false
    let timer: NodeJS.Timeout | undefined
    const pump = (): void => {
      clearTimeout(timer)
      if (stalled) return
      for (let piece = queue[0]; piece !== undefined; piece = queue[0]) {
        const waitMs = piece.dueMs - performance.now()
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs)
          return
        }
        queue.shift()
        to.write(piece.bytes)
      }
      if (from.isPaused() && to.writableLength < 1 << 20) from.resume()
      if (ended) to.end()
    }
    pumps.add(pump)
    from.on('data', bytes => {
      queue.push({ bytes, dueMs: delayMs === 0 ? 0 : performance.now() + delayMs })
      if (queue.length > MOST_PIECES || to.writableLength > 1 << 20) from.pause()
      pump()
    })
    to.on('drain', pump)
    from.on('end', () => {
      ended = true
      pump()
    })
    from.once('close', () => {
      clearTimeout(timer)
      pumps.delete(pump)
      to.destroy()
    })
    from.on('error', () => {})
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.once('close', () => sockets.delete(end))
    }
    relay(socket, upstream)
    relay(upstream, socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall(on) {
      stalled = on
      if (!on) for (const pump of pumps) pump()
    },
    slow(ms) {
      delayMs = ms
    },
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        cut()
      }),
  }
}
