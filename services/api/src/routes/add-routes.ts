import type { Store } from '@payment-tracking/store'
import type { ApiServer } from '../api-server.js'
import type { Tokens } from '../schemas/tokens.js'

export interface RouteParts {
  store: Store
  programId: string
  /** how amounts are shown */
  tokens: Tokens
  /** from a due date until its payment is overdue */
  graceSeconds: number
  nowMs: () => number
}

/** Adds routes; what they need comes along. */
export type AddRoutes = (app: ApiServer, parts: RouteParts) => void
