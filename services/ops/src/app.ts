import { randomUUID } from 'node:crypto'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { indexerBucketOf } from '@payment-tracking/contracts'
import type { Bus } from '@payment-tracking/bus'
import type { BoardQueue, DeliveryQueue } from '@payment-tracking/queue'
import {
  answerRawError,
  ARRIVAL_TIMEOUT_MS,
  arrivalLimits,
  readTrustedProxies,
  ServiceError,
  type Logger,
  readOrigins,
} from '@payment-tracking/runtime'
import type { Store } from '@payment-tracking/store/core'
import { addBoard, BOARD_PATH } from './board.js'
import type { OpsConfig } from './config.js'
import { addDeadLetterPages } from './pages/dead-letter-pages.js'
import { addDeliveryPage } from './pages/delivery-page.js'
import { addFailedDeliveryPages } from './pages/failed-delivery-pages.js'
import { STYLE } from './html/style.js'
import { sampleLag } from './lag/lag-samples.js'
import { addFailingEndpoints } from './pages/failing-endpoints.js'
import { addOverview } from './pages/overview.js'
import { addPipelinePage } from './pages/pipeline-page.js'
import { addStreamGapPages } from './pages/stream-gap-pages.js'
import { addWorkPage } from './pages/work-page.js'
import { refuse } from './refuse.js'
import { openEndedSessions } from './session/ended-sessions.js'
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

/** The server closes a client that neither sends nor reads anything for this long. */
const STALL_TIMEOUT_MS = 30_000
/**
 * Every request ends within this time. If a server behind the dashboard does not answer, the request is answered with
 * 503.
 */
const REQUEST_DEADLINE_MS = 15_000

/** The dashboard's own pages run no script; Bull Board runs its own script. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const BOARD_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

/** Reads form fields; a repeated name becomes a list. A field name never reaches a prototype. */
function readForm(text: string): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields[name]
    fields[name] = known === undefined ? value : [known, value].flat()
  }
  return fields
}

const AWAY = 'Postgres, Redis or NATS did not answer; /readyz of the management port says which.'
/** Fastify's code for a request that passed its deadline. */
const LATE = 'FST_ERR_HANDLER_TIMEOUT'

/** Whether a server is away. An outage passes by itself and is no fault to look for. */
const isAway = (error: unknown): boolean =>
  (error instanceof ServiceError && /_(UNAVAILABLE|TIMEOUT)$/.test(error.code)) ||
  (error as { code?: string }).code === LATE

/** Builds the dashboard without listening. */
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
    trustProxy: readTrustedProxies(config.TRUST_PROXY),
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    http: arrivalLimits(),
    requestTimeout: ARRIVAL_TIMEOUT_MS,
    connectionTimeout: STALL_TIMEOUT_MS,
    handlerTimeout: REQUEST_DEADLINE_MS,
    clientErrorHandler: answerRawError,
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
  app.setErrorHandler((error: { statusCode?: number; code?: string }, request, reply) => {
    const { statusCode = 500, code = 'INTERNAL' } = error
    if (statusCode < 500) return refuse(reply, statusCode, 'INVALID_REQUEST', 'The request cannot be read.')
    if (isAway(error)) {
      request.log.warn({ err: error }, 'ops.request-refused')
      return refuse(reply, 503, code === LATE ? 'STORE_TIMEOUT' : code, AWAY)
    }
    request.log.error({ err: error }, 'ops.request-failed')
    return refuse(reply, 500, 'INTERNAL', 'Something went wrong on our side; the log says what.')
  })
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, 404, 'NOT_FOUND', 'There is nothing at this path.'),
  )
  const sessions = buildSessions(config.OPS_TOKEN)
  const ended = openEndedSessions(store, log)
  app.addHook('onClose', () => ended.close())
  const lag = sampleLag(bus, { streamName: config.STREAM_NAME, subjectPrefix: config.SUBJECT_PREFIX }, log)
  app.addHook('onClose', (_app, done) => {
    lag.close()
    done()
  })
  guard(app, { sessions, ended, environment: config.ENVIRONMENT })
  app.get('/style.css', (_request, reply) => reply.type('text/css').send(STYLE))
  const parts = {
    store,
    bus,
    queue,
    log,
    lag,
    sessions,
    environment: config.ENVIRONMENT,
    consoleUrl: consoleUrlOf(config.PUBLIC_ORIGINS),
    subjectPrefix: config.SUBJECT_PREFIX,
    streamName: config.STREAM_NAME,
    indexerBucket: indexerBucketOf(config.STREAM_NAME),
  }
  addOverview(app, parts)
  addDeadLetterPages(app, parts)
  addFailedDeliveryPages(app, parts)
  addDeliveryPage(app, parts)
  addFailingEndpoints(app, parts)
  addStreamGapPages(app, parts)
  addPipelinePage(app, parts)
  addWorkPage(app, parts)
  addBoard(app, { board, queue, environment: config.ENVIRONMENT })
  await app.ready()
  return app
}

/** @param origins of PUBLIC_ORIGINS */
function consoleUrlOf(origins: string | undefined): string | null {
  const [site] = origins === undefined ? [] : readOrigins(origins)
  return site === undefined ? null : `${site}/console`
}
