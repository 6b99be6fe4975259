import type { AddRoutes } from '../parts.js'
import { onetimeRoute } from './onetime.js'
import { paymentCheckRoute } from './payment-check.js'
import { paymentStatsRoute } from './payment-stats.js'
import { addTraceRoute } from './payment-trace.js'

export const paymentRoutes: AddRoutes = (app, parts) => {
  onetimeRoute(app, parts)
  paymentCheckRoute(app, parts)
  paymentStatsRoute(app, parts)
  addTraceRoute(app, parts)
}
