// 404 and 405: told apart by the routes that were registered, before any body is read.
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
      .map(part =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('/')}$`,
  )

/**
 * Answers what no route is for: 405 with `allow` where the path has other methods, 404 elsewhere. OPTIONS of a
 * known path is answered 204 with `allow`. Must be called before routes are registered.
 */
export function answerUnknownRoutes(app: ApiServer): void {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: toPattern(url), methods: new Set(['OPTIONS']) }
    for (const one of [method].flat()) known.methods.add(one.toUpperCase())
    paths.set(url, known)
  })

  const methodsOf = (url: string): string[] => {
    const path = url.split('?', 1)[0]!
    const methods = [...paths.values()]
      .filter(known => known.pattern.test(path))
      .flatMap(known => [...known.methods])
    return [...new Set(methods)].sort()
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const methods = methodsOf(request.url)
    if (methods.length === 0) throw new NotFoundError('There is nothing at this path.')
    void reply.header('allow', methods.join(', '))
    if (request.method === 'OPTIONS') return void reply.code(204).send()
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${methods.join(', ')} only.`)
  })
  app.setNotFoundHandler(() => {
    throw new NotFoundError('There is nothing at this path.')
  })
}
