import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/

/** The caller's `x-request-id` if it is one plain word, else a new id. Logs and answers carry the id. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID()
}
