import type { AddRoutes } from '../route-parts.js'
import { eventCountRoutes } from './event-counts.js'
import { eventKindRoutes } from './event-kinds.js'
import { eventsRoute } from './events.js'
import { typedEventRoutes } from './typed-events.js'

export const eventRoutes: AddRoutes = (app, parts) => {
  eventsRoute(app, parts)
  eventKindRoutes(app, parts)
  eventCountRoutes(app, parts)
  typedEventRoutes(app, parts)
}
