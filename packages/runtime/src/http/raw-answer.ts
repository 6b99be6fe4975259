// Answers on a bare socket: for requests that never reach a route, and for upgrades that are refused.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorAnswer, type Refusal } from './error-answer.js'

const BAD: Refusal = { status: 400, code: 'INVALID_REQUEST', sentence: 'This is not a valid HTTP request.' }
const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    sentence: 'The request headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    sentence: 'The request took too long to arrive.',
  },
}

/** The error of Node about bytes that it could not parse, with the bytes. */
interface RawError extends Error {
  code?: string
  /** a Buffer, whatever its type says elsewhere */
  rawPacket?: unknown
}

/** How long a client has to take a refusal and close; then the socket is destroyed. */
const CLOSE_WITHIN_MS = 1_000

/** The answer to HEAD has no body, also when it is a refusal. */
const isHead = ({ rawPacket }: RawError) =>
  Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD '

/**
 * Answers on the bare socket in the one shape, and closes the connection.
 * The socket is destroyed after one second: a client that goes on sending, or never closes its side, would keep
 * the connection open otherwise.
 */
export function refuseOnSocket(socket: Duplex, refusal: Refusal, { withBody = true } = {}): void {
  const requestId = randomUUID()
  const body = JSON.stringify(errorAnswer(refusal, requestId))
  socket.on('error', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'cache-control: no-store',
      'connection: close',
      '',
      withBody ? body : '',
    ].join('\r\n'),
  )
  setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS).unref()
}

/**
 * For `clientError` of a Node HTTP server: refuses what its parser rejects (400, 431) and requests that took too
 * long to arrive (408).
 */
export function answerRawError(error: RawError, socket: Duplex): void {
  // If the client does not read an earlier answer, a refusal after it would never be sent: the socket is closed.
  const isStuck = socket.writableLength > 0
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || isStuck) {
    socket.destroy()
    return
  }
  refuseOnSocket(socket, BY_CODE[error.code ?? ''] ?? BAD, { withBody: !isHead(error) })
}
