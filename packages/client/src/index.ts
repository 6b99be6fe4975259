export {
  createApiClient,
  nextCursor,
  type ApiClient,
  type ApiClientOptions,
  type Schemas,
} from './api-client.js'
export type { components, operations, paths } from './api-types.js'
export { parseExact } from './exact-fetch.js'
export { watchPayments, type PaymentWatch, type WatchOptions, type WatchState } from './watch-payments.js'
