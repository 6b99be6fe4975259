// A reverse proxy before a service, at a path of its own, which can answer instead of the service.
import { createServer, request as openRequest, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from './test-context.js'

export interface ProxyAnswer {
  status: number
  headers?: Record<string, string>
  body?: string
}

const NOT_FOUND: ProxyAnswer = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Not found</h1>',
}

/** @param path what the proxy takes off before it passes a request on, such as `/pay`; everything else is 404 */
export async function openProxy(t: TestContext, serviceUrl: string, path = '') {
  const { hostname, port } = new URL(serviceUrl)
  const asked: string[] = []
  const upgraded = new Set<Socket>()
  let decide: (asked: string) => ProxyAnswer | undefined = () => undefined
  const choose = (method: string, { url = '' }: IncomingMessage): ProxyAnswer | undefined => {
    const name = `${method} ${url}`
    asked.push(name)
    return decide(name) ?? (url.startsWith(`${path}/`) ? undefined : NOT_FOUND)
  }

  const server = createServer((request, response) => {
    const instead = choose(request.method!, request)
    if (instead) return void response.writeHead(instead.status, instead.headers).end(instead.body)
    const { method, headers } = request
    const passed = openRequest({ hostname, port, method, headers, path: request.url!.slice(path.length) })
    passed.on('response', answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  server.on('upgrade', (request: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => {})
    const instead = choose('UPGRADE', request)
    if (instead) return void client.end(`HTTP/1.1 ${instead.status} Refused\r\ncontent-length: 0\r\n\r\n`)
    const service = connect(Number(port), hostname)
    service.on('error', () => client.destroy())
    const lines = [`GET ${request.url!.slice(path.length)} HTTP/1.1`]
    for (let n = 0; n < request.rawHeaders.length; n += 2)
      lines.push(`${request.rawHeaders[n]}: ${request.rawHeaders[n + 1]}`)
    service.write(`${lines.join('\r\n')}\r\n\r\n`)
    service.write(head)
    service.pipe(client).pipe(service)
    upgraded.add(client)
    client.once('close', () => {
      upgraded.delete(client)
      service.destroy()
    })
    service.once('close', () => client.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = () => upgraded.forEach(socket => socket.destroy())
  t.teardown(() => {
    cut()
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    /** Every request and upgrade so far, such as `GET /pay/v1/health` and `UPGRADE /pay/ws/v1/`. */
    asked,
    /** Answers later requests and upgrades, as `asked` names them; undefined passes one on. */
    answer: (with_: typeof decide) => void (decide = with_),
    /** Breaks every upgraded connection. */
    cut,
  }
}
