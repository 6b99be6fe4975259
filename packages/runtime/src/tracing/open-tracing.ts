// W3C trace context. Off, nothing of OpenTelemetry is loaded and nobody carries anything: whoever could trace is
// handed `undefined` instead of a tracing that does nothing.

/** One step of a trace, open until `end`. */
export interface Trace {
  /** the step's own place in its trace, as the header `traceparent` carries it on */
  readonly parent: string
  /** @param failure why the step did not succeed */
  end(attributes?: TraceAttributes, failure?: string): void
}

export type TraceAttributes = Readonly<Record<string, string | number | boolean | null>>

export interface TraceOptions {
  /** a `traceparent` that came in; without one, or with one that is none, a trace begins here */
  parent?: string | null | undefined
  kind?: 'consumer' | 'server' | 'client'
  attributes?: TraceAttributes
  startedAt?: Date
}

export interface Tracing {
  begin(name: string, options?: TraceOptions): Trace
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>
}

export interface TracingConfig {
  ENVIRONMENT: string
  OTEL_EXPORTER_OTLP_ENDPOINT?: string
  OTEL_TRACES_SAMPLER_ARG: number
}

/** @returns undefined when no collector is configured */
export async function openTracing(service: string, config: TracingConfig): Promise<Tracing | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  const { openSdk } = await import('./sdk.js')
  return openSdk(service, config.OTEL_EXPORTER_OTLP_ENDPOINT, config)
}
