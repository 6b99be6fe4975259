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
  SocketExpectation,
  SocketPayment,
  SocketRetraction,
} from '@payment-tracking/contracts/socket-messages'
export { watchPayments, type PaymentWatch, type WatchOptions, type WatchState } from './watch-payments.js'
export {
  expectPayment,
  ExpectPaymentError,
  watchExpectation,
  type ExpectPaymentOptions,
  type WatchExpectationOptions,
} from './expectations.js'
export { watchEvents, type StreamedEvent, type WatchEventsOptions } from './watch-events.js'
