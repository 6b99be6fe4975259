import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Accepts and ignores all query parameters. */
    takesAnyQuery?: boolean
  }
}

/**
 * A route without declared query parameters accepts none: the server refuses a misspelt parameter and never ignores it.
 */
export function refuseUnknownParameters(app: ApiServer): void {
  app.addHook('onRoute', route => {
    if (route.config?.takesAnyQuery || route.schema?.querystring !== undefined) return
    route.schema = { ...route.schema, querystring: Type.Object({}) }
  })
}
