import type { Store } from '@payment-tracking/store'
import type { ApiServer } from '../api-server.js'

export interface RouteParts {
  store: Store
  programId: string
}

/** Adds routes; what they need comes along. */
export type AddRoutes = (app: ApiServer, parts: RouteParts) => void
