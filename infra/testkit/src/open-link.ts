// The wire between a process and a server: it can be cut, hold everything back, be slow, or lead nowhere.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from './test-context.js'

interface Piece {
  bytes: Buffer
  dueMs: number
}

/** A queue this long makes its sender wait, as a full wire does. */
const MOST_PIECES = 256
const MOST_WAITING_BYTES = 1 << 20

/**
 * Opens an address that leads to a server.
 * @param url such as `postgresql://…`
 * @param options.breakAfterBytes breaks a connection each time when so many bytes have arrived from the server
 */
export async function openLink(
  t: TestContext,
  url: string,
  { breakAfterBytes = Infinity }: { breakAfterBytes?: number } = {},
) {
  let { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  const pumps = new Set<() => void>()
  const held = new Set<Socket>()
  let holdsAt: string | null = null
  let [stalled, allSilent] = [false, false]
  let [delayMs, arrived, breaks, sent, received] = [0, 0, 0, 0, 0]

  const relay = (from: Socket, to: Socket, count: (bytes: number) => void, isClient = false): void => {
    const queue: Piece[] = []
    let ended = false
    let timer: NodeJS.Timeout | undefined
    const pump = (): void => {
      clearTimeout(timer)
      if (stalled || held.has(from)) return
      for (let piece = queue[0]; piece !== undefined; piece = queue[0]) {
        const waitMs = piece.dueMs - performance.now()
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs)
          return
        }
        queue.shift()
        to.write(piece.bytes)
      }
      if (from.isPaused() && to.writableLength < MOST_WAITING_BYTES) from.resume()
      if (ended) to.end()
    }
    sockets.add(from)
    pumps.add(pump)
    from.on('error', () => {})
    from.on('data', bytes => {
      count(bytes.length)
      if (from.destroyed || allSilent || silent.has(from)) return
      if (isClient && holdsAt !== null && bytes.includes(holdsAt)) held.add(from)
      queue.push({ bytes, dueMs: delayMs === 0 ? 0 : performance.now() + delayMs })
      if (queue.length > MOST_PIECES || to.writableLength > MOST_WAITING_BYTES) from.pause()
      pump()
    })
    to.on('drain', pump)
    from.on('end', () => {
      if (silent.has(from)) return void from.end()
      ended = true
      pump()
    })
    from.once('close', () => {
      clearTimeout(timer)
      sockets.delete(from)
      held.delete(from)
      pumps.delete(pump)
      if (!silent.has(from)) to.destroy()
    })
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    const upstream = connect({ port: Number(port), host: hostname, allowHalfOpen: true, noDelay: true })
    relay(client, upstream, bytes => (sent += bytes), true)
    relay(upstream, client, bytes => {
      received += bytes
      arrived += bytes
      if (arrived < breakAfterBytes) return
      arrived = 0
      breaks += 1
      client.destroy()
      upstream.destroy()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  const linked = new URL(url)
  linked.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: linked.href,
    /** Breaks every connection; new ones are accepted. */
    cut,
    /** New connections lead to another server. */
    leadTo(other: string) {
      ;({ hostname, port } = new URL(other))
    },
    /** Lets nothing through, in either direction, and breaks nothing; what it held back passes when it ends. */
    stall(on: boolean) {
      stalled = on
      if (!on) for (const pump of pumps) pump()
    },
    /** Holds each piece back for so long, in each direction. */
    slow(ms: number) {
      delayMs = ms
    },
    /**
     * Connections stay open, and no byte passes any more, as when a host vanishes.
     * @param which `present`: a new connection leads to the server, as after a failover. `all`: none does.
     */
    silence(which: 'present' | 'all') {
      for (const socket of sockets) silent.add(socket)
      allSilent = which === 'all'
    },
    /**
     * Holds a connection back from where its client sends a text, and leaves the others: as if the process were paused just
     * before. Null holds no more; what is held stays held until it is cut.
     */
    holdAt(text: string | null) {
      holdsAt = text
    },
    held: () => held.size,
    cutHeld() {
      for (const socket of held) socket.destroy()
    },
    /** How often the link broke a connection by itself. */
    breaks: () => breaks,
    /** Bytes that have passed so far, to the server and from it. */
    traffic: () => ({ sent, received }),
  }
}

export type Link = Awaited<ReturnType<typeof openLink>>
