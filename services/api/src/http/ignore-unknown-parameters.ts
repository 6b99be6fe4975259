// Clients of the incumbent send parameters that its routes never read. On routes that only the incumbent has, and on
// subscriptions, an unknown parameter is ignored and named in a header; on all others it is refused
// (refuse-unknown-parameters.ts): a filter that is ignored answers with everything.
import type { FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import type { SentQuery } from './query-string.js'

export const IGNORED_HEADER = 'x-ignored-parameters'

const ROUTES_OF_INCUMBENT = [
  /^\/v1\/(?:subscriptions|jwks)$/,
  /^\/v1\/events\/(?:typed\/:eventName|names\/tributary|referrals\/rewards|program\/config-created)$/,
  /^\/v1\/(?:payment|composable)-policies(?:\/.*)?$/,
  /^\/v1\/tokens\/(?:issue|refresh)$/,
  /^\/v1\/gateway\/:gateway\/merchant\/.*$/,
  /^\/openapi\.yaml$/,
]

/** A header stays small, whatever a client sends. */
const MOST_NAMED = 20
const LONGEST_NAME = 64

interface RouteSchema {
  querystring?: { properties?: Record<string, unknown> }
}

/** The names of the parameters that a request's route declares. */
export const knownParameters = (request: FastifyRequest): Readonly<Record<string, unknown>> =>
  (request.routeOptions.schema as RouteSchema | undefined)?.querystring?.properties ?? {}

const ofIncumbent = new Map<string, boolean>()

/** @param url of a route: there are as many as routes */
function isOfIncumbent(url: string | undefined): boolean {
  if (url === undefined) return false
  const answer = ofIncumbent.get(url) ?? ROUTES_OF_INCUMBENT.some(route => route.test(url))
  ofIncumbent.set(url, answer)
  return answer
}

/** A header takes only plain ASCII, and a comma separates names. */
const named = (names: readonly string[]): string =>
  names
    .slice(0, MOST_NAMED)
    .map(name => encodeURIComponent(Buffer.from(name.slice(0, LONGEST_NAME)).toString()))
    .join(', ')

/** Must be called before anything that reads the query of a list. */
export function ignoreUnknownParameters(app: ApiServer): void {
  app.addHook('preValidation', (request, reply, done) => {
    const sent = request.query as SentQuery
    if (!isOfIncumbent(request.routeOptions.url)) return done()
    const known = knownParameters(request)
    const unknown = Object.keys(sent).filter(name => !Object.hasOwn(known, name))
    if (unknown.length === 0) return done()
    const query = Object.assign(Object.create(null) as SentQuery, sent)
    for (const name of unknown) delete query[name]
    request.query = query
    void reply.header(IGNORED_HEADER, named(unknown))
    done()
  })
}
