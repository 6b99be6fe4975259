import type { Tokens } from '@payment-tracking/domain'
import type { Store } from '@payment-tracking/store/core'
import type { ApiServer } from './api-server.js'

/** What routes of every folder are made of. */
export interface RouteParts {
  store: Store
  programId: string
  /** how answers show amounts */
  tokens: Tokens
  /** the time from a due date until the payment is overdue */
  graceSeconds: number
  nowMs: () => number
}

/** Adds routes that use the given parts. */
export type AddRoutes = (app: ApiServer, parts: RouteParts) => void
