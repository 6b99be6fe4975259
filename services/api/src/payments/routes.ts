import type { RouteParts } from '../route-parts.js'
import type { ApiServer } from '../api-server.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { onetimeRoute } from './onetime.js'
import { paymentCheckRoute } from './payment-check.js'
import { paymentStatsRoute } from './payment-stats.js'
import { addTraceRoute } from './payment-trace.js'

export function paymentRoutes(app: ApiServer, parts: RouteParts & { auth: GatewayAuth }): void {
  onetimeRoute(app, parts)
  paymentCheckRoute(app, parts)
  paymentStatsRoute(app, parts)
  addTraceRoute(app, parts)
}
