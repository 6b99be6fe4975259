// Answers requests that do not become a connection, before Engine.IO sees them: Engine.IO answers in another shape, and
// drops connections for unknown paths.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeRefusal, type Refusal } from '@payment-tracking/runtime'
import { SOCKET_PATH } from '@payment-tracking/contracts'

const NOT_FOUND: Refusal = {
  status: 404,
  code: 'NOT_FOUND',
  sentence: `There is nothing at this path; sockets connect to ${SOCKET_PATH}.`,
}
const UPGRADE_REQUIRED: Refusal = {
  status: 426,
  code: 'UPGRADE_REQUIRED',
  sentence: "This is a Socket.IO channel: connect with transports: ['websocket'].",
}
const METHOD_NOT_ALLOWED: Refusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  sentence: 'This path takes GET only, with an upgrade to a WebSocket.',
}
export const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: 'FORBIDDEN',
  sentence: 'Pages of this origin may not connect.',
}
export const TOO_MANY_CONNECTIONS: Refusal = {
  status: 429,
  code: 'TOO_MANY_CONNECTIONS',
  sentence: 'There are too many connections from your address.',
}

const invalid = (sentence: string): Refusal => ({ status: 400, code: 'INVALID_REQUEST', sentence })

const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/

const NO_POLLING = invalid("Parameter transport must be websocket: connect with transports: ['websocket'].")

/** Whether a request is for the channel; the slash at the end of the path is optional. */
const isForChannel = ({ url = '' }: IncomingMessage): boolean => {
  const path = url.split('?', 1)[0]!
  return path === SOCKET_PATH || path === `${SOCKET_PATH}/`
}

const queryOf = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.split('?')[1] ?? '')

/** Why an upgrade request cannot become a connection; null when it can. */
export function upgradeRefusal(request: IncomingMessage): Refusal | null {
  if (!isForChannel(request)) return NOT_FOUND
  const { headers, method } = request
  if (method !== 'GET') return METHOD_NOT_ALLOWED
  if (headers.upgrade?.toLowerCase() !== 'websocket') return UPGRADE_REQUIRED
  const query = queryOf(request)
  if (query.get('transport') !== 'websocket') return NO_POLLING
  if (query.get('EIO') !== '4')
    return invalid('Parameter EIO must be 4: use a Socket.IO client of version 3 or 4.')
  if (query.has('sid')) return invalid('Parameter sid is not known here: every connection is a new one.')
  const version = headers['sec-websocket-version']
  if (version !== '13' && version !== '8') return invalid('The header sec-websocket-version must be 13.')
  if (!WEBSOCKET_KEY.test(String(headers['sec-websocket-key'])))
    return invalid('The header sec-websocket-key must be base64 of 16 bytes.')
  return null
}

function plainRefusal(request: IncomingMessage): Refusal {
  if (!isForChannel(request)) return NOT_FOUND
  if (queryOf(request).get('transport') === 'polling') return NO_POLLING
  return request.method === 'GET' || request.method === 'HEAD' ? UPGRADE_REQUIRED : METHOD_NOT_ALLOWED
}

/** Answers a request that is no upgrade. */
export function refusePlainRequest(request: IncomingMessage, response: ServerResponse): void {
  const refusal = plainRefusal(request)
  writeRefusal(response, refusal, {
    // The connection closes, so the server does not read an unread request body.
    connection: 'close',
    ...(refusal === METHOD_NOT_ALLOWED ? { allow: 'GET' } : {}),
    ...(refusal === UPGRADE_REQUIRED ? { upgrade: 'websocket' } : {}),
  })
}

/** Engine.IO accepts its path only with the slash. */
export function addSlash(request: IncomingMessage): void {
  if (request.url?.split('?', 1)[0] === SOCKET_PATH)
    request.url = request.url.replace(SOCKET_PATH, `${SOCKET_PATH}/`)
}
