import type { IncomingMessage } from 'node:http'

/** After the refusal of a too large body, a client may go on sending for this long; then its connection is cut. */
const DRAIN_MS = 5_000

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Reads the whole body of a request.
 * @returns `none` without a body, `too-large` as soon as the body exceeds the limit. The function reads and drops the
 *   rest of a too large body, because cutting the connection at once would cut off the answer
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
