// 404 and 405: the registered routes decide between the two, before the server reads a body.
import { SOCKET_PATH } from '@payment-tracking/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { ApiError, NotFoundError } from './api-errors.js'
import { isPerson } from './is-person.js'

/** Where clients of Socket.IO connect when they name no path. */
const USUAL_SOCKET_PATH = '/socket.io/'

const nothingAt = (url: string): NotFoundError =>
  new NotFoundError(
    url.startsWith(USUAL_SOCKET_PATH)
      ? `There is nothing at this path: sockets connect with path: '${SOCKET_PATH}'.`
      : 'There is nothing at this path; /docs lists what there is.',
  )

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map(part => (part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
      .join('/')}$`,
  )

/** The methods of the route at a URL's path; empty where there is no route. */
export type MethodsOf = (url: string) => string[]

/**
 * Records the methods of each path, and answers OPTIONS with them in `allow`. Must be called before anything that
 * answers OPTIONS, and before routes are added.
 */
export function rememberMethods(app: ApiServer): MethodsOf {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*') return
    const known = paths.get(url) ?? { pattern: toPattern(url), methods: new Set(['OPTIONS']) }
    for (const one of [method].flat()) known.methods.add(one.toUpperCase())
    paths.set(url, known)
  })
  const methodsOf: MethodsOf = url => {
    const path = url.split('?', 1)[0]!
    const known = [...paths.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(known.flatMap(({ methods }) => [...methods]))].sort()
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'OPTIONS') return done()
    const methods = methodsOf(request.url)
    if (methods.length === 0) return done(nothingAt(request.url))
    void reply.header('allow', methods.join(', '))
    done()
  })
  return methodsOf
}

/** Sends a page that says so to a person. */
type ShowNothing = (path: string, reply: FastifyReply) => void

/**
 * Answers requests without a route, browsers with a page: 405 with `allow` where the path has other methods, 404 elsewhere. Such a request
 * counts against the client's limit.
 */
export function answerUnknownRoutes(app: ApiServer, methodsOf: MethodsOf, showNothing: ShowNothing): void {
  const limit = app.rateLimit()
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    await limit.call(app, request, reply)
    const methods = methodsOf(request.url)
    if (methods.length === 0) {
      if (request.method === 'GET' && isPerson(request.headers.accept))
        return showNothing(request.url.split('?', 1)[0]!, reply.code(404).header('vary', 'accept'))
      throw nothingAt(request.url)
    }
    void reply.header('allow', methods.join(', '))
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${methods.join(', ')} only.`)
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    // What was answered goes no further.
    refuse(request, reply).catch(done)
  })
  app.setNotFoundHandler(request => {
    throw nothingAt(request.url)
  })
}
