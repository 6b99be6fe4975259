// The refusals that the edge answers by itself.
import type { ServerResponse } from 'node:http'
import { writeRefusal, type Refusal } from '@payment-tracking/runtime'

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

/** Answers with the refusal. If an answer has already begun, the connection is cut. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy()
  writeRefusal(response, refusal, refusal.status === 503 ? { 'retry-after': '1' } : {})
}
