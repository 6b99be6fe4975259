// Refusals that never become a request: what Node's HTTP parser rejects.
import type { Socket } from 'node:net'
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
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

/** What Node says of bytes it could not read, with the bytes. */
interface RawError extends Error {
  code?: string
  /** a Buffer, whatever its type says elsewhere */
  rawPacket?: unknown
}

/** An answer to HEAD has no body, also when it is a refusal. */
const isHead = ({ rawPacket }: RawError) =>
  Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD '

/** Answers on the bare socket in the one shape, and closes it. */
export function answerRawError(error: RawError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = BY_CODE[error.code ?? ''] ?? BAD
  const requestId = randomUUID()
  const body = JSON.stringify(errorAnswer(refusal, requestId))
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      isHead(error) ? '' : body,
    ].join('\r\n'),
  )
}
