import type { ReceivedRequest } from '@payment-tracking/testkit'

export interface SentSpan {
  name: string
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
}

interface TraceRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: Omit<SentSpan, 'service'>[] }[]
  }[]
}

/** The spans that services sent to a collector, out of OTLP's JSON. */
export const readSpans = (requests: readonly ReceivedRequest[]): SentSpan[] =>
  requests.flatMap(({ body }) =>
    (JSON.parse(body) as TraceRequest).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
      return scopeSpans.flatMap(({ spans }) => spans.map(span => ({ ...span, service })))
    }),
  )
