import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyRequest } from 'fastify'
import {
  answerRawError,
  ARRIVAL_TIMEOUT_MS,
  arrivalLimits,
  readTrustedProxies,
  type Logger,
  type Metrics,
  type Tracing,
} from '@payment-tracking/runtime'
import type { RedisConnections } from '@payment-tracking/redis'
import type { DeliveryQueue } from '@payment-tracking/queue'
import { openReads, type Reads } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { ApiServer } from './api-server.js'
import type { ApiConfig } from './config.js'
import { addGatewayRoutes } from './add-gateway-routes.js'
import { ApiError } from './http/api-errors.js'
import { answerError } from './http/error-answer.js'
import { readListCursors } from './http/list-cursor.js'
import { parseQueryString } from './http/query-string.js'
import { compileReader } from './codec/request-codec.js'
import { refuseEncodedBodies } from './http/refuse-encoded-bodies.js'
import { requestIdOf } from './http/request-id.js'
import { makeRequestLog } from './http/request-log.js'
import { traceRequests } from './http/trace-requests.js'
import { answerUnknownRoutes, rememberMethods } from './http/unknown-routes.js'
import { compileAnswerWriter } from './codec/response-codec.js'
import { addPlugins } from './http/add-plugins.js'
import { boundRequests } from './limits/bound-requests.js'
import { ignoreUnknownParameters } from './http/ignore-unknown-parameters.js'
import { measureReads } from './http/measure-reads.js'
import { limitRequests } from './limits/limit-requests.js'
import { refuseUnknownParameters } from './http/refuse-unknown-parameters.js'
import { addFrontPage } from './pages/front-page.js'
import { addDocuments } from './documents/add-documents.js'
import { addReference, baseUrlOf, collectSchemas } from './reference/add-reference.js'
import { FeedWaits } from './feed/feed-waits.js'
import { eventCountRoutes } from './events/event-counts.js'
import { eventKindRoutes } from './events/event-kinds.js'
import { eventsRoute } from './events/events.js'
import { healthRoute } from './overview/health.js'
import { onetimeRoute } from './payments/onetime.js'
import { overviewRoute } from './overview/overview.js'
import { addTraceRoute } from './payments/payment-trace.js'
import { paymentCheckRoute } from './payments/payment-check.js'
import { paymentStatsRoute } from './payments/payment-stats.js'
import { policyRoutes } from './policies/policies.js'
import { typedEventRoutes } from './events/typed-events.js'
import { subscriptionsRoute } from './policies/subscriptions.js'
import { tokenMintsRoute } from './overview/token-mints.js'
import { readTokens } from '@payment-tracking/domain'
import { addSearchRoute } from './search/search-route.js'
import { addStream, STREAM_PATH } from './stream/add-stream.js'
import { ignoreUpgrade, ignoreUpgrades } from './stream/ignore-upgrades.js'
import { API_TUNABLES, type ApiTunables } from './tunables.js'
import { VERSION } from './version.js'

export interface ApiParts {
  config: ApiConfig
  log: Logger
  store: Store
  /** what reads go to; by default to `store` */
  reads?: Reads
  /** without Redis, each process counts limits for itself */
  redis?: RedisConnections
  /** without the queue, the workers' sweepers find redeliveries */
  queue?: DeliveryQueue
  metrics: Metrics
  tracing?: Tracing | undefined
  /** by default API_TUNABLES */
  tunables?: ApiTunables
  /** the clock of the rate limits */
  nowMs?: () => number
}

/**
 * Longer than any path parameter can be in percent-encoding, so that a later check can refuse the parameter by name.
 */
const LONGEST_PARAMETER = 4_096
const BODY_LIMIT_BYTES = 64 * 1024

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Builds the application. Building neither listens nor connects. */
export async function buildApp({
  config,
  log,
  metrics,
  tracing,
  store,
  reads = openReads(store),
  redis,
  queue,
  tunables = API_TUNABLES,
  nowMs = Date.now,
}: ApiParts): Promise<ApiServer> {
  const loggerInstance: FastifyBaseLogger = log
  const app: ApiServer = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: makeRequestLog,
    genReqId: requestIdOf,
    trustProxy: readTrustedProxies(config.TRUST_PROXY),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
    // A hook below refuses requests during the stop, in the common shape.
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER, querystringParser: parseQueryString },
    frameworkErrors: (error, request, reply) => {
      // For an unreadable path no hook has run.
      void reply.header('x-request-id', request.id ?? randomUUID())
      ignoreUpgrade(request, reply)
      answerError(error, request, reply)
    },
    clientErrorHandler: answerRawError,
    http: { requireHostHeader: false, ...arrivalLimits() },
    requestTimeout: ARRIVAL_TIMEOUT_MS,
    // Node cuts a connection that is silent for this long. A pending answer may take until the deadline.
    connectionTimeout: Math.max(tunables.answerStallMs, tunables.requestDeadlineMs + 1_000),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // An unknown expectation is no reason to refuse; Node alone would answer 417 without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const rest = boundRequests(
    app,
    {
      perClient: tunables.requestsAtOncePerAddress,
      unreadBytes: tunables.unreadBytes,
      stallMs: tunables.answerStallMs,
      deadlineMs: tunables.requestDeadlineMs,
    },
    metrics,
  )
  app.setValidatorCompiler(compileReader)
  app.setSerializerCompiler(compileAnswerWriter)
  app.setErrorHandler(answerError)
  let isStopping = false
  app.addHook('preClose', done => {
    isStopping = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that was busy when the stop began would stay alive, and the stop would wait for it.
    if (isStopping) void reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    // The server reads an unused body too: closing the connection on it would cut off the answer.
    if ((request.method === 'GET' || request.method === 'HEAD') && hasBody(request)) request.raw.resume()
    done(isStopping ? new ApiError('STOPPING', 'This instance is stopping. Please try again.') : undefined)
  })
  const seconds = metrics.histogram(
    'http_request_seconds',
    'how long requests took to be answered',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ['route', 'status'],
  )
  // The log line has only the fields below, none of them secret: redaction would cost more than the line.
  const accessLog = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    seconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    accessLog.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request.answered',
    )
    done()
  })
  measureReads(metrics, reads)
  if (tracing) traceRequests(app, tracing)
  ignoreUpgrades(app, STREAM_PATH)
  refuseEncodedBodies(app)
  const methods = rememberMethods(app)
  refuseUnknownParameters(app)
  ignoreUnknownParameters(app)
  readListCursors(app)
  await addPlugins(app, { corsOrigin: config.CORS_ORIGIN, reads })
  await limitRequests(app, { max: config.RATE_LIMIT_MAX, redis, log, nowMs })
  answerUnknownRoutes(app, methods)
  await collectSchemas(app, VERSION)

  const tokens = readTokens(config.TOKENS)
  const graceSeconds = config.OVERDUE_GRACE_SECONDS
  const parts = { store, programId: config.PROGRAM_ID, tokens, graceSeconds, nowMs }
  for (const addRoutes of [
    healthRoute,
    subscriptionsRoute,
    onetimeRoute,
    eventsRoute,
    eventKindRoutes,
    eventCountRoutes,
    paymentStatsRoute,
    overviewRoute,
    paymentCheckRoute,
    tokenMintsRoute,
    policyRoutes,
    typedEventRoutes,
  ]) {
    addRoutes(app, parts)
  }
  const waits = new FeedWaits(
    store,
    {
      perGateway: tunables.feedWaitsPerGateway,
      perAddress: tunables.feedWaitsPerAddress,
      all: tunables.feedWaits,
      checkEveryMs: tunables.feedCheckEveryMs,
    },
    log,
  )
  redis?.listenToFeeds(gateways => waits.wake(gateways))
  app.addHook('preClose', () => waits.stop())
  const auth = await addGatewayRoutes(app, {
    config,
    store,
    redis,
    queue,
    nowMs,
    shownTokens: tokens,
    feed: { reads, waits, rest },
    costlyReads: {
      statementsAtOnce: Math.max(1, config.DATABASE_POOL_SIZE - 1),
      keepMs: tunables.costlyAnswerKeptMs,
      keptBytes: tunables.costlyAnswerBytes,
    },
  })
  addTraceRoute(app, { authenticate: request => auth.authenticateIfGiven(request, 'webhooks:read') })
  addSearchRoute(app, { auth })
  await addStream(app, {
    store,
    tokens,
    log,
    maxConnections: tunables.streamsPerAddress,
    pingEveryMs: tunables.streamPingEveryMs,
    stallMs: tunables.streamStallMs,
    sockets: metrics.gauge('stream_sockets', 'open sockets of the stream of all events'),
  })
  addReference(app, config.ENVIRONMENT)
  addDocuments(app, { baseUrlOf })
  addFrontPage(app, { environment: config.ENVIRONMENT, opsUrl: config.OPS_URL })
  await app.ready()
  return app
}
