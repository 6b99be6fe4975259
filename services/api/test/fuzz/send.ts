import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { HostileRequest } from './hostile-requests.js'

export interface Received {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

const decode = (bytes: Buffer, encoding: string | undefined): string => {
  if (bytes.length === 0) return ''
  if (encoding === 'gzip') return gunzipSync(bytes).toString()
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  return bytes.toString()
}

/** A sender with its own connections; rejects when no answer comes. */
export function openSender(port: number) {
  // One connection per request: the rest of one request must not become part of the next answer.
  const agent = new Agent({ keepAlive: false })
  const send = ({ method, target, headers, body }: HostileRequest): Promise<Received> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const request = httpRequest({
        port,
        host: '127.0.0.1',
        method,
        path: target,
        agent,
        headers: { ...headers, ...length },
        timeout: 20_000,
      })
      request.on('timeout', () => request.destroy(new Error('no answer')))
      request.on('error', reject)
      request.on('response', response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode, headers } = response
          resolve({
            status: statusCode!,
            headers,
            body: decode(Buffer.concat(chunks), headers['content-encoding']),
          })
        })
      })
      request.end(body)
    })
  return { send, close: () => agent.destroy() }
}
