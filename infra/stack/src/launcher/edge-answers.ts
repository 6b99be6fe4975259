// What the edge answers by itself, in the one shape of errors.
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { errorAnswer, type Refusal } from '@payment-tracking/runtime'

export const UNAVAILABLE: Refusal = {
  status: 503,
  code: 'UNAVAILABLE',
  sentence: 'The service is not reachable right now; try again in a moment.',
}
export const BODY_TOO_LARGE: Refusal = {
  status: 413,
  code: 'BODY_TOO_LARGE',
  sentence: 'The request body is too large.',
}
export const BODY_WITH_UPGRADE: Refusal = {
  status: 400,
  code: 'INVALID_REQUEST',
  sentence: 'A request that asks for an upgrade must not have a body.',
}

/** Answers with the refusal; when an answer has begun already, the connection is cut. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy()
  const requestId = randomUUID()
  response.writeHead(refusal.status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...(refusal.status === 503 && { 'retry-after': '1' }),
  })
  response.end(JSON.stringify(errorAnswer(refusal, requestId)))
}
