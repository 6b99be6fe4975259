import type { Span, Tracing } from '@payment-tracking/runtime'
import type { ApiServer } from '../api-server.js'

/**
 * Records each request as a span of the trace in its `traceparent`. A path can hold an address, so the span has the
 * route's name.
 */
export function traceRequests(app: ApiServer, tracing: Tracing): void {
  const open = new WeakMap<object, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const route = request.routeOptions.url ?? 'none'
    open.set(
      request,
      tracing.startSpan(`${request.method} ${route}`, {
        kind: 'server',
        parent: typeof traceparent === 'string' ? traceparent : undefined,
        attributes: { 'http.request.method': request.method, 'http.route': route },
      }),
    )
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const failure = reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined
    open.get(request)?.end({ 'http.response.status_code': reply.statusCode }, failure)
    done()
  })
}
