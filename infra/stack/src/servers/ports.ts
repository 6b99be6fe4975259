import { createServer, type AddressInfo } from 'node:net'

/** Tries to listen. @returns the port, or undefined when it is taken or not allowed */
function tryPort(port: number, host: string): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => {
      const taken = (server.address() as AddressInfo).port
      server.close(() => resolve(taken))
    })
  })
}

/**
 * Tries to listen. @returns why listening is impossible, with a `code` such as EADDRINUSE; undefined when it is
 * possible
 */
export const findListenError = (port: number, host: string): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', resolve)
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })

export const isPortFree = async (port: number, host = '127.0.0.1'): Promise<boolean> =>
  (await tryPort(port, host)) !== undefined

const QUIET_PORTS = { first: 20_000, last: 31_999 }
let nextQuietPort = QUIET_PORTS.first + Math.floor(Math.random() * (QUIET_PORTS.last - QUIET_PORTS.first + 1))

/**
 * A free port that other processes will hardly take: below the ports of outgoing connections, and not a server's usual
 * port. For a server that stops listening for a while and must find its port free again. A process gets the same port
 * only after all others were used, because a server may need seconds until it listens.
 */
export async function findQuietPort(): Promise<number> {
  for (;;) {
    const port = nextQuietPort
    nextQuietPort = port === QUIET_PORTS.last ? QUIET_PORTS.first : port + 1
    if (await isPortFree(port)) return port
  }
}

/** A free port: the wanted port if it is free, else any. */
export async function findFreePort(wanted?: number): Promise<number> {
  const port = (wanted && (await tryPort(wanted, '127.0.0.1'))) || (await tryPort(0, '127.0.0.1'))
  if (!port) throw new Error('this machine has no free port on 127.0.0.1')
  return port
}
