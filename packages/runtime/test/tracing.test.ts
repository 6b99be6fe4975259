import t from 'tap'
import { openTracing } from '../dist/tracing/open-tracing.js'

const CONFIG = { ENVIRONMENT: 'test', OTEL_TRACES_SAMPLER_ARG: 1 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:9'
// The exporter tries again until this; its timer would keep this file waiting.
process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '300'

t.test('without a collector there is no tracing', async t => {
  t.equal(await openTracing('test', CONFIG), undefined)
})

t.test('a good traceparent is continued with its mark, anything else begins a trace', async t => {
  const tracing = (await openTracing('test', { ...CONFIG, OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY }))!
  t.teardown(() => tracing.close())
  const start = (parent?: string | null) => tracing.startSpan('step', { parent }).traceParent
  t.match(start(`00-${TRACE}-${SPAN}-01`), new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-01$`))
  t.match(start(`00-${TRACE}-${SPAN}-00`), new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`), 'not to be kept')
  t.match(start(`01-${TRACE}-${SPAN}-01-later`), new RegExp(`^00-${TRACE}-`), 'a version to come')
  const bad = [
    undefined,
    null,
    '',
    'x',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    'a'.repeat(100_000),
  ]
  for (const parent of bad) {
    const started = start(parent)
    t.match(started, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    t.notMatch(started, TRACE)
  }
})

t.test('only the configured share of new traces is kept', async t => {
  const config = { ...CONFIG, OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY, OTEL_TRACES_SAMPLER_ARG: 0 }
  const tracing = (await openTracing('test', config))!
  t.teardown(() => tracing.close())
  t.match(tracing.startSpan('step').traceParent, /-00$/)
  t.match(tracing.startSpan('step', { parent: `00-${TRACE}-${SPAN}-01` }).traceParent, /-01$/, 'marked')
})

t.test('a collector that is away keeps nobody from stopping', async t => {
  const tracing = (await openTracing('test', { ...CONFIG, OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY }))!
  tracing.startSpan('step').end({ attempt: 1, nothing: null }, 'a reason')
  await t.resolves(tracing.close())
})
