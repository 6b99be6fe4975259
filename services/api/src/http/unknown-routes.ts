// 404 and 405: told apart by the routes that were registered, before any body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { ApiError, NotFoundError } from './api-errors.js'

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

/** The methods of whatever route is at the path of a URL; none where there is no route. */
export type MethodsOf = (url: string) => string[]

/**
 * Remembers which methods each path has, and tells them to OPTIONS in `allow`. Must be called before anything
 * that answers OPTIONS, and before routes are added.
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
    if (methods.length === 0) return done(new NotFoundError('There is nothing at this path.'))
    void reply.header('allow', methods.join(', '))
    done()
  })
  return methodsOf
}

/**
 * Answers what no route is for: 405 with `allow` where the path has other methods, 404 elsewhere. Counts
 * against the client's limit as any request does.
 */
export function answerUnknownRoutes(app: ApiServer, methodsOf: MethodsOf): void {
  const limit = app.rateLimit()
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    await limit.call(app, request, reply)
    const methods = methodsOf(request.url)
    if (methods.length === 0) throw new NotFoundError('There is nothing at this path.')
    void reply.header('allow', methods.join(', '))
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${methods.join(', ')} only.`)
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    refuse(request, reply).catch(done)
  })
  app.setNotFoundHandler(() => {
    throw new NotFoundError('There is nothing at this path.')
  })
}
