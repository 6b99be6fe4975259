import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from './test-context.js'
import { waitFor, type WaitOptions } from './wait-for.js'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The unchanged body: signatures cover these characters. */
  body: string
  receivedAtMs: number
}

/**
 * The answer to a request. `hang` never answers, `stall` sends headers and a byte and then nothing, `close` cuts the
 * connection.
 */
export type ReceiverAnswer =
  | 'hang'
  | 'stall'
  | 'close'
  | { status: number; headers?: Record<string, string>; body?: string; delayMs?: number }

/**
 * A real HTTP server as a gateway's webhook endpoint.
 * @param host the local address to listen on; containers reach only the address of their network
 */
export async function openReceiver(t?: TestContext, host = '127.0.0.1') {
  const requests: ReceivedRequest[] = []
  let decide: (request: ReceivedRequest, number: number) => ReceiverAnswer = () => ({ status: 200 })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const received: ReceivedRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        receivedAtMs: Date.now(),
      }
      requests.push(received)
      const answer = decide(received, requests.length)
      if (answer === 'hang') return
      if (answer === 'close') return void request.socket.destroy()
      if (answer === 'stall') {
        response.writeHead(200, { 'content-length': '100' })
        response.write('.')
        return
      }
      const send = () => {
        response.writeHead(answer.status, answer.headers)
        response.end(answer.body ?? '')
      }
      if (answer.delayMs) setTimeout(send, answer.delayMs)
      else send()
    })
  })
  let connections = 0
  server.on('connection', () => connections++)
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t?.teardown(close)
  return {
    url: `http://${host}:${port}/`,
    port,
    /** In the order they arrived. */
    requests,
    /** How many were opened so far. */
    get connections() {
      return connections
    },
    /** Sets the answer to later requests: one for all, or a function of the request. The first answer is 200. */
    answer(with_: ReceiverAnswer | typeof decide) {
      decide = typeof with_ === 'function' ? with_ : () => with_
    },
    async waitForRequests(count: number, options: WaitOptions = {}) {
      await waitFor(() => requests.length >= count, {
        what: `request ${count} at the receiver`,
        ...options,
      })
      return requests
    },
    close,
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
