import type { Tracing, TracingConfig } from './span.js'

/**
 * Opens W3C trace context. Without a collector OpenTelemetry is never loaded.
 * @returns undefined when no collector is configured: callers then make no spans at all
 */
export async function openTracing(service: string, config: TracingConfig): Promise<Tracing | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  const { openSdk } = await import('./sdk.js')
  return openSdk(service, config.OTEL_EXPORTER_OTLP_ENDPOINT, config)
}
