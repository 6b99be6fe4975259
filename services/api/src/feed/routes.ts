import type { AddRoutes } from '../parts.js'
import { addFeedRoute } from './feed-route.js'

export const feedRoutes: AddRoutes = (app, parts) => {
  const { redis, waits } = parts
  redis?.listenToFeeds(gateways => waits.wake(gateways))
  app.addHook('preClose', () => waits.stop())
  addFeedRoute(app, parts)
}
