// The only file that imports OpenTelemetry. It is loaded only when a collector is configured.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Context } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { SpanAttributes, Tracing, TracingConfig } from './span.js'

const KINDS = { consumer: SpanKind.CONSUMER, server: SpanKind.SERVER, client: SpanKind.CLIENT }
const CLOSE_TIMEOUT_MS = 2_000
/** Spans that may wait for the collector. Further spans are dropped, so that memory stays bounded. */
const MOST_WAITING = 8_192

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
const ZEROS = /^0+$/

/** The context that a `traceparent` names. An invalid value starts a new trace, as the standard demands. */
function contextOf(parent: string | null | undefined): Context {
  const [, version, traceId, spanId, flags] = PARENT.exec(parent ?? '') ?? []
  if (!traceId || !spanId || version === 'ff' || ZEROS.test(traceId) || ZEROS.test(spanId))
    return ROOT_CONTEXT
  if (version === '00' && parent!.length !== 55) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: parseInt(flags!, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  })
}

const withoutNulls = (attributes: SpanAttributes = {}) =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, value ?? undefined]))

/** Headers, timeout and compression are read by the exporter itself, from the standard OTEL_EXPORTER_OTLP_… */
export function openSdk(service: string, endpoint: string, config: TracingConfig): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `payment-tracking-${service}`,
      'deployment.environment.name': config.ENVIRONMENT,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MOST_WAITING, scheduledDelayMillis: 1_000 }),
    ],
  })
  const tracer = provider.getTracer('payment-tracking')
  return {
    startSpan(name, { parent, kind, attributes, startedAt } = {}) {
      const span = tracer.startSpan(
        name,
        {
          ...(kind && { kind: KINDS[kind] }),
          attributes: withoutNulls(attributes),
          ...(startedAt && { startTime: startedAt }),
        },
        contextOf(parent),
      )
      const { traceId, spanId, traceFlags } = span.spanContext()
      return {
        traceParent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end(more, failure) {
          if (more) span.setAttributes(withoutNulls(more))
          if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
          span.end()
        },
      }
    },
    async close() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)))
      // While the collector is away spans are lost; the process still stops cleanly.
      await Promise.race([provider.shutdown().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}
