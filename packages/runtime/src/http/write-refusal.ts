import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { errorAnswer, type Refusal } from './error-answer.js'

/**
 * Answers a request of a plain Node HTTP server with a refusal.
 * @param headers in addition to content type, length, caching and request id
 */
export function writeRefusal(
  response: ServerResponse,
  refusal: Refusal,
  headers: OutgoingHttpHeaders = {},
): void {
  const requestId = randomUUID()
  const body = JSON.stringify(errorAnswer(refusal, requestId))
  response
    .writeHead(refusal.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    })
    .end(body)
}
