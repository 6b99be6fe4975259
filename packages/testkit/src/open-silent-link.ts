import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from './test-context.js'

export interface SilentLink {
  /** The server's URL, but with the address of the link. */
  url: string
  /**
   * Connections stay open, and no byte passes any more, as when a host vanishes.
   * @param which `present`: a new connection leads to the server, as after a failover. `all`: none does.
   */
  silence(which: 'present' | 'all'): void
}

/** Opens an address that leads to a server until a test silences the link. @param url such as `postgresql://…` */
export async function openSilentLink(t: TestContext, url: string): Promise<SilentLink> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let allSilent = false
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.once('close', () => {
        sockets.delete(from)
        if (!silent.has(from)) to.destroy()
      })
      from.on('data', (bytes: Buffer) => {
        if (!allSilent && !silent.has(from)) to.write(bytes)
      })
    }
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
  }
}
