// A forward proxy as an operator would run it: HTTP CONNECT, and nothing else.
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from '@payment-tracking/testkit'

/** @param options.refusal lines of headers after a status, with which every CONNECT is answered */
export async function openProxy(t: TestContext, options: { port?: number; refusal?: string } = {}) {
  const proxy: { refusal: string | null } = { refusal: options.refusal ?? null }
  /** What CONNECT asked for, in order. */
  const asked: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    asked.push(request.url!)
    credentials.push(request.headers['proxy-authorization'])
    client.on('error', () => {})
    if (proxy.refusal !== null)
      return void client.end(`HTTP/1.1 ${proxy.refusal}\r\ncontent-length: 0\r\n\r\n`)
    const { hostname, port } = new URL(`http://${request.url}`)
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
    target.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'))
    client.once('close', () => target.destroy())
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  t.teardown(close)
  const { port } = server.address() as AddressInfo
  return Object.assign(proxy, { port, asked, credentials, close })
}
