export {
  createApiClient,
  nextCursor,
  type ApiClient,
  type ApiClientOptions,
  type Schemas,
} from './api-client.js'
export type { components, operations, paths } from './generated/api-types.js'
export { parseExact } from './exact-fetch.js'
export type {
  SocketErrorCode,
  SocketPayment,
  SocketRetraction,
} from '@payment-tracking/contracts/socket-messages'
export { watchPayments, type PaymentWatch, type WatchOptions, type WatchState } from './watch-payments.js'
export { watchEvents, type StreamedEvent, type WatchEventsOptions } from './watch-events.js'
