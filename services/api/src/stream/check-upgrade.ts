import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../http/api-errors.js'

const KEY = /^[+/0-9A-Za-z]{22}==$/

/**
 * Whether a request asks for a WebSocket by RFC 6455. Checked here, so that a refusal has the common shape.
 * @throws ApiError UPGRADE_REQUIRED, INVALID_REQUEST
 */
export function checkUpgrade(headers: IncomingHttpHeaders): void {
  if (headers.upgrade?.toLowerCase() !== 'websocket') {
    throw new ApiError('UPGRADE_REQUIRED', 'This is a WebSocket: connect with one.')
  }
  const version = headers['sec-websocket-version']
  if (version !== '13' && version !== '8') {
    throw new ApiError('INVALID_REQUEST', 'The header sec-websocket-version must be 13.')
  }
  if (!KEY.test(String(headers['sec-websocket-key']))) {
    throw new ApiError('INVALID_REQUEST', 'The header sec-websocket-key must be base64 of 16 bytes.')
  }
  // This server has no subprotocols. Offered subprotocols, well-formed or not, need no answer.
  delete headers['sec-websocket-protocol']
}
