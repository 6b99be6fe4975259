import type { Server } from 'node:http'
import { connect, type AddressInfo, type Server as SocketServer } from 'node:net'
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

/** Sends bytes to a port of this machine. @returns the whole answer until the connection was closed */
export const sayTo = (port: number, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
