import { SOCKET_PATH } from './socket-messages.js'

/**
 * Which paths of the base URL lead to which service, each with everything below it; all other paths lead to the API. Change
 * them here: test/house/deployment.test.ts says what HAProxy's and the Gateway API's files must say then.
 */
export const BASE_URL_PATHS = { realtime: SOCKET_PATH, console: '/console' } as const
