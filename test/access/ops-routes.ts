// The routes of the dashboard for operators, those of Bull Board among them.
import type { FastifyInstance } from 'fastify'

interface OpsRoute {
  method: string
  /** With an example for each parameter. */
  path: string
  isOpen: boolean
}

/** Signing in, and the style sheet of its page. */
const OPEN = new Set(['GET /sign-in', 'POST /sign-in', 'GET /style.css', 'HEAD /sign-in', 'HEAD /style.css'])

/** Reads Fastify's tree of routes: each line adds to the path of the line that it is indented under. */
export function listRoutes(app: Pick<FastifyInstance, 'printRoutes'>): OpsRoute[] {
  const paths: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent, part, methods] = /^([ │]*[├└]── )(.*) \(([A-Z, ]+)\)$/.exec(line) ?? []
      if (indent === undefined) return []
      const depth = indent.length / 4 - 1
      paths.splice(depth)
      paths.push(part!)
      const path = paths.join('').replaceAll(/:\w+/g, '1').replace('*', 'static/app.js')
      return methods!.split(', ').map(method => ({ method, path, isOpen: OPEN.has(`${method} ${path}`) }))
    })
}
