import type { Logger, Metrics } from '@payment-tracking/runtime'
import type { ApiServer } from '../api-server.js'

/** Measures and logs each answer. */
export function recordRequests(app: ApiServer, log: Logger, metrics: Metrics): void {
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
}
