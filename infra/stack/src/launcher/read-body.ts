import type { IncomingMessage } from 'node:http'

/** A client that is told that its body is too large may go on sending for so long; then its connection is cut. */
const DRAIN_MS = 5_000

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Reads the body of a request whole.
 * @returns `none` when there is none, `too-large` as soon as it is known to be larger than the limit: the rest is then
 *   read and dropped, because cutting the connection at once would cut off the answer
 * @throws when the client goes away before its body is complete
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'none' | 'too-large'> {
  if (!hasBody(request)) return Promise.resolve('none')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const drop = () => {
      request.removeAllListeners('data').resume()
      const cut = setTimeout(() => request.socket.destroy(), DRAIN_MS)
      request.once('close', () => clearTimeout(cut))
      request.once('end', () => clearTimeout(cut))
      resolve('too-large')
    }
    request.on('error', reject)
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return drop()
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limitBytes) drop()
      else chunks.push(chunk)
    })
  })
}
