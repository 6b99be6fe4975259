import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes whatever query parameters there are, and ignores them. */
    takesAnyQuery?: boolean
  }
}

/** A route that names no query parameters takes none: a misspelt one is refused, never ignored. */
export function refuseUnknownParameters(app: ApiServer): void {
  app.addHook('onRoute', route => {
    if (route.config?.takesAnyQuery || route.schema?.querystring !== undefined) return
    route.schema = { ...route.schema, querystring: Type.Object({}) }
  })
}
