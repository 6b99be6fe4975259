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

export const isPortFree = async (port: number, host = '127.0.0.1'): Promise<boolean> =>
  (await tryPort(port, host)) !== undefined

/**
 * A port that is free now and that nobody takes by chance: below those that outgoing connections get, and no
 * server's usual one. For whoever stops listening for a while and must find the port free again.
 */
export const findQuietPort = (): Promise<number> => findFreePort(20_000 + Math.floor(Math.random() * 12_000))

/** A port that is free now: the wanted one when it is, else any. */
export async function findFreePort(wanted?: number): Promise<number> {
  const port = (wanted && (await tryPort(wanted, '127.0.0.1'))) || (await tryPort(0, '127.0.0.1'))
  if (!port) throw new Error('this machine has no free port on 127.0.0.1')
  return port
}
