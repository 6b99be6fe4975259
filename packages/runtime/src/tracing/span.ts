/** One span of an OpenTelemetry trace, open until `end`. */
export interface Span {
  /** names this span as the parent of later ones: the value of the W3C header `traceparent` */
  readonly traceParent: string
  /** @param failure why the work of the span did not succeed */
  end(attributes?: SpanAttributes, failure?: string): void
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | null>>

export interface SpanOptions {
  /** a received `traceparent`; if it is missing or invalid, the span starts a new trace */
  parent?: string | null | undefined
  kind?: 'consumer' | 'server' | 'client'
  attributes?: SpanAttributes
  startedAt?: Date
}

export interface Tracing {
  startSpan(name: string, options?: SpanOptions): Span
  /** Sends the spans that wait, for at most two seconds. */
  close(): Promise<void>
}

export interface TracingConfig {
  ENVIRONMENT: string
  OTEL_EXPORTER_OTLP_ENDPOINT?: string
  OTEL_TRACES_SAMPLER_ARG: number
}
