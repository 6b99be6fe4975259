import type { AddRoutes } from '../route-parts.js'
import { healthRoute } from './health.js'
import { overviewRoute } from './overview.js'
import { tokenMintsRoute } from './token-mints.js'

export const overviewRoutes: AddRoutes = (app, parts) => {
  healthRoute(app, parts)
  overviewRoute(app, parts)
  tokenMintsRoute(app, parts)
}
