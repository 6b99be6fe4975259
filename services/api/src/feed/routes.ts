import type { RedisConnections } from '@payment-tracking/redis'
import type { ApiServer } from '../api-server.js'
import { addFeedRoute, type FeedParts } from './feed-route.js'

export function feedRoutes(app: ApiServer, parts: FeedParts & { redis: RedisConnections | undefined }): void {
  const { redis, waits } = parts
  redis?.listenToCommits(({ gateways }) => waits.signal(gateways))
  app.addHook('preClose', () => waits.stop())
  addFeedRoute(app, parts)
}
