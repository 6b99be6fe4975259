import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from './test-context.js'

export interface Link {
  /** The server's URL, but with the address of the link. */
  url: string
  /**
   * Connections stay open, and no byte passes any more, as when a host vanishes.
   * @param which `present`: a new connection leads to the server, as after a failover. `all`: none does.
   */
  silence(which: 'present' | 'all'): void
  /** How often the link broke a connection. */
  breaks(): number
  /** Bytes that have passed so far, to the server and from it. */
  traffic(): { sent: number; received: number }
}

/**
 * Opens an address that leads to a server until a test silences the link.
 * @param url such as `postgresql://…`
 * @param options.breakAfterBytes breaks a connection each time when so many bytes have arrived from the server
 */
export async function openLink(
  t: TestContext,
  url: string,
  { breakAfterBytes = Infinity }: { breakAfterBytes?: number } = {},
): Promise<Link> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let allSilent = false
  let [arrived, breaks, sent, received] = [0, 0, 0, 0]
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    const join = (from: Socket, to: Socket) => {
      sockets.add(from)
      from.on('error', () => {})
      from.once('close', () => {
        sockets.delete(from)
        if (!silent.has(from)) to.destroy()
      })
      from.on('data', (bytes: Buffer) => {
        if (from === upstream) received += bytes.length
        else sent += bytes.length
        if (from === upstream) arrived += bytes.length
        if (arrived >= breakAfterBytes) {
          arrived = 0
          breaks += 1
          client.destroy()
        } else if (!allSilent && !silent.has(from)) to.write(bytes)
      })
    }
    join(client, upstream)
    join(upstream, client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const linked = new URL(url)
  linked.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: linked.href,
    silence(which) {
      for (const socket of sockets) silent.add(socket)
      allSilent = which === 'all'
    },
    breaks: () => breaks,
    traffic: () => ({ sent, received }),
  }
}
