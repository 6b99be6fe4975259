import type { AddRoutes } from '../route-parts.js'
import { policyRoutes as recordRoutes } from './policies.js'
import { subscriptionsRoute } from './subscriptions.js'

export const policyRoutes: AddRoutes = (app, parts) => {
  subscriptionsRoute(app, parts)
  recordRoutes(app, parts)
}
