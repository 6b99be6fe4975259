import type { Server } from 'node:http'
import type { AddressInfo, Server as SocketServer } from 'node:net'
import type { TestContext } from './test-context.js'

/** Has a server listen on a free port, until the test ends. @returns the port */
export async function listen(t: TestContext, server: SocketServer | Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}
