import { SOCKET_PATH } from './socket-messages.js'

/** Payments of one tracking ID as server-sent events. */
export const PAYMENT_STREAM_PATH = '/v1/payments/stream'

/**
 * The paths of each service below the base URL. Everything below such a path goes to that service, and all other paths go to the
 * API. After a change here, test/house/deployment.test.ts says what to change in the files of HAProxy and the Gateway API.
 */
export const BASE_URL_PATHS = {
  realtime: [SOCKET_PATH, PAYMENT_STREAM_PATH],
  console: ['/console'],
} as const
