import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  answerRawError,
  ARRIVAL_TIMEOUT_MS,
  arrivalLimits,
  readTrustedProxies,
} from '@payment-tracking/runtime'
import { openReads } from '@payment-tracking/store/reads'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyRequest } from 'fastify'
import type { ApiServer } from './api-server.js'
import { compileReader } from './codec/request-codec.js'
import { compileAnswerWriter } from './codec/response-codec.js'
import { addPlugins } from './http/add-plugins.js'
import { answerError } from './http/error-answer.js'
import { ignoreUnknownParameters } from './http/ignore-unknown-parameters.js'
import { readListCursors } from './http/list-cursor.js'
import { measureReads } from './http/measure-reads.js'
import { parseQueryString } from './http/query-string.js'
import { recordRequests } from './http/record-requests.js'
import { refuseEncodedBodies } from './http/refuse-encoded-bodies.js'
import { refuseUnknownParameters } from './http/refuse-unknown-parameters.js'
import { requestIdOf } from './http/request-id.js'
import { makeRequestLog } from './http/request-log.js'
import { stopAnswering } from './http/stop-answering.js'
import { traceRequests } from './http/trace-requests.js'
import { answerUnknownRoutes, rememberMethods } from './http/unknown-routes.js'
import { showNoSuchPage } from './pages/no-such-page.js'
import { boundRequests } from './limits/bound-requests.js'
import { limitRequests } from './limits/limit-requests.js'
import { makeParts, type ApiParts } from './parts.js'
import { collectSchemas } from './reference/add-reference.js'
import { addRoutes } from './routes.js'
import { STREAM_PATH } from './stream/add-stream.js'
import { ignoreUpgrade, ignoreUpgrades } from './stream/ignore-upgrades.js'
import { API_TUNABLES } from './tunables.js'
import { VERSION } from './version.js'

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
  const suspend = boundRequests(
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
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    // The server reads an unused body too: closing the connection on it would cut off the answer.
    if ((request.method === 'GET' || request.method === 'HEAD') && hasBody(request)) request.raw.resume()
    done()
  })
  stopAnswering(app)
  recordRequests(app, log, metrics)
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
  answerUnknownRoutes(app, methods, showNoSuchPage(config.ENVIRONMENT))
  await collectSchemas(app, VERSION)

  const given = { config, tunables, log, metrics, store, reads, redis, queue, nowMs, suspend }
  await addRoutes(app, await makeParts(given))
  await app.ready()
  return app
}
