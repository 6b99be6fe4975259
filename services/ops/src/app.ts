import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Bus } from '@payment-tracking/bus'
import type { BoardQueue, DeliveryQueue } from '@payment-tracking/queue'
import { ServiceError, type Logger } from '@payment-tracking/runtime'
import type { Store } from '@payment-tracking/store'
import { addBoard, BOARD_PATH } from './board.js'
import type { OpsConfig } from './config.js'
import { addDeadLetterPages } from './pages/dead-letter-pages.js'
import { addFailedDeliveryPages } from './pages/failed-delivery-pages.js'
import { STYLE } from './html/layout.js'
import { addOverview } from './pages/overview.js'
import { addStreamGapPages } from './pages/stream-gap-pages.js'
import { guard } from './session/guard.js'
import { buildSessions } from './session/session.js'

export interface OpsParts {
  config: OpsConfig
  log: Logger
  store: Store
  bus: Bus
  queue: DeliveryQueue
  board: BoardQueue
}

/** Our pages run no script at all; Bull Board runs its own. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const BOARD_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

/** Form fields; a name that comes twice is a list. Nothing is ever a prototype's. */
function readForm(text: string): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields[name]
    fields[name] = known === undefined ? value : [known, value].flat()
  }
  return fields
}

/** A server is away: another moment mends it, and nobody has to look for a fault. */
const isOutage = (error: unknown): boolean =>
  error instanceof ServiceError && /_(UNAVAILABLE|TIMEOUT)$/.test(error.code)

/** Builds the dashboard; nothing listens yet. */
export async function buildApp({
  config,
  log,
  store,
  bus,
  queue,
  board,
}: OpsParts): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = log
  const app: FastifyInstance = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    forceCloseConnections: true,
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, readForm(text as string)),
  )
  app.addHook('onRequest', (request, reply, done) => {
    const isBoard = request.url === BOARD_PATH || request.url.startsWith(`${BOARD_PATH}/`)
    void reply.header('content-security-policy', isBoard ? BOARD_POLICY : PAGE_POLICY)
    done()
  })
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500) return reply.code(statusCode).send({ error: 'the request cannot be read' })
    if (isOutage(error)) {
      request.log.warn({ err: error }, 'ops.request-refused')
      return reply
        .code(503)
        .send({ error: 'Postgres, Redis or NATS did not answer; /readyz of the management port says which' })
    }
    request.log.error({ err: error }, 'ops.request-failed')
    return reply.code(500).send({ error: 'something went wrong on our side; the log says what' })
  })
  const sessions = buildSessions(config.OPS_TOKEN)
  guard(app, { sessions, environment: config.ENVIRONMENT, secureCookie: config.OPS_SECURE_COOKIE })
  app.get('/style.css', (_request, reply) => reply.type('text/css').send(STYLE))
  const parts = {
    store,
    bus,
    queue,
    log,
    sessions,
    environment: config.ENVIRONMENT,
    subjectPrefix: config.SUBJECT_PREFIX,
  }
  addOverview(app, parts)
  addDeadLetterPages(app, parts)
  addFailedDeliveryPages(app, parts)
  addStreamGapPages(app, parts)
  await addBoard(app, { board, queue, writable: config.OPS_BOARD_WRITABLE, environment: config.ENVIRONMENT })
  await app.ready()
  return app
}
