// What people see of a running system: metrics as documented, one trace from the message to the webhook, and no
// secret in any log. One system is started for all of it, at the chattiest log level.
import { randomBytes, randomUUID } from 'node:crypto'
import { SOCKET_PATH, subjectOf } from '@payment-tracking/contracts'
import { readJson } from '@payment-tracking/domain'
import { openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { buildJwtKeys, SERVICES } from '@payment-tracking/stack'
import {
  createDatabase,
  openReceiver,
  readExpectedAnswers,
  readFixtureMessages,
  startService,
  useNats,
  useRedis,
  waitFor,
  type ReceivedRequest,
  type StartedService,
} from '@payment-tracking/testkit'
import { headers as natsHeaders } from 'nats'
import { io } from 'socket.io-client'
import t from 'tap'
import { findSecrets } from './find-secrets.js'
import { readExposition, type ExposedMetric } from './read-exposition.js'
import { signWith } from '../e2e/sign-with.js'
import { DOC, readMetricsTable } from './read-metrics-table.js'
import { withMetricsTable } from './write-metrics-table.js'
import { holdDocument } from '../repository.js'

const passwordOf = (url: string) => decodeURIComponent(new URL(url).password)

interface SentSpan {
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
const readSpans = (requests: readonly ReceivedRequest[]): SentSpan[] =>
  requests.flatMap(({ body }) =>
    (JSON.parse(body) as TraceRequest).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
      return scopeSpans.flatMap(({ spans }) => spans.map(span => ({ ...span, service })))
    }),
  )

/** What servers say to a wrong password. */
const REFUSED = /WRONGPASS|authentication failed|authorization violation/i

t.test('a system that is looked at', { timeout: 110_000 }, async t => {
  const expected = await readExpectedAnswers()
  const messages = await readFixtureMessages()
  const paid = expected.stats[0]!
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const nats = await useNats(t)
  const collector = await openReceiver(t)
  const receiver = await openReceiver(t)
  const node = await openSimulatedNode(new SimulatedChain({ programs: [] }))
  t.teardown(() => node.close())
  const jwtKeys = buildJwtKeys()
  const secrets: Record<string, string> = {
    'password of Postgres': passwordOf(database.url),
    'password of Redis': passwordOf(redis.url),
    'password of NATS': passwordOf(nats.url),
    'private key of tokens': (JSON.parse(jwtKeys) as { keys: { d: string }[] }).keys[0]!.d,
    'token of ops': `ops-${randomBytes(12).toString('hex')}`,
    "collector's header": `collector-${randomBytes(12).toString('hex')}`,
    "a stranger's bearer token": `stranger-${randomBytes(12).toString('hex')}`,
    "a stranger's cookie": `cookie-${randomBytes(12).toString('hex')}`,
  }
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SOLANA_RPC_URLS: node.url.replace('127.0.0.1', 'localhost'),
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: `look-${randomUUID().slice(0, 8)}`,
    LOG_LEVEL: 'trace',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    JWT_PRIVATE_KEYS: jwtKeys,
    OPS_TOKEN: secrets['token of ops'],
    RATE_LIMIT_MAX: '100000',
    PORT: '0',
    OPS_PORT: '0',
    'realtime.longestDrainMs': '100',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${secrets["collector's header"]}`,
  }
  const names = [...SERVICES]
  const started = await Promise.all(names.map(name => startService(t, name, env)))
  const services = Object.fromEntries(names.map((name, at) => [name, started[at]!])) as Record<
    (typeof SERVICES)[number],
    StartedService
  >
  const base = (await services.api.waitForLog('http.listening')).address as string
  const opsUrl = (await services.ops.waitForLog('http.listening')).address as string
  const realtimePort = (await services.realtime.waitForLog('service.listening')).port as number

  const read = (bytes: Uint8Array): { event_name?: string; signature?: string } => {
    try {
      return (readJson(Buffer.from(bytes).toString('utf8')) ?? {}) as object
    } catch {
      return {}
    }
  }
  /** Each message begins a trace of its own, as the indexer would. */
  const traceOf = new Map<string, string>()
  const publish = (chosen: Uint8Array[]) =>
    Promise.all(
      chosen.map(bytes => {
        const { event_name: name, signature } = read(bytes)
        const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
        const headers = natsHeaders()
        headers.set('traceparent', `00-${traceId}-${spanId}-01`)
        if (signature !== undefined && !traceOf.has(signature)) traceOf.set(signature, `${traceId} ${spanId}`)
        return nats.jetstream.publish(subjectOf(nats.subjectPrefix, name), bytes, { headers })
      }),
    )
  const isPayment = (bytes: Uint8Array) => String(read(bytes).event_name).endsWith('PaymentRecord')
  await publish(messages.filter(bytes => !isPayment(bytes)))

  const call = async (method: string, path: string, token?: string, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        cookie: `session=${secrets["a stranger's cookie"]}`,
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, string> }
  }
  const auth = `/v1/gateway/${paid.gateway}/auth`
  const challenge = await waitFor(
    async () => {
      const answer = await call('POST', `${auth}/challenge`)
      return answer.status === 200 && answer.body
    },
    { what: 'the gateway to be known' },
  )
  secrets['signature of the sign-in'] = signWith(paid.authoritySecret, challenge.nonce!)
  const proof = { signer: paid.authority, signature: secrets['signature of the sign-in'] }
  const signedIn = await call('POST', `${auth}/verify`, undefined, { ...proof, nonce: challenge.nonce })
  t.equal(signedIn.status, 200)
  const token = (secrets["gateway's token"] = signedIn.body.token!)
  t.equal((await call('GET', '/v1/webhooks', secrets["a stranger's bearer token"])).status, 401)
  const created = await call('POST', '/v1/webhooks', token, {
    gateway_pubkey: paid.gateway,
    endpoint_url: receiver.url,
    format: 'standard',
  })
  t.equal(created.status, 201)
  secrets["webhook's secret"] = created.body.secret!.replace('whsec_', '')

  const socket = io(`http://127.0.0.1:${realtimePort}`, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    extraHeaders: { authorization: `Bearer ${secrets["a stranger's bearer token"]}` },
  })
  t.teardown(() => socket.disconnect())
  const joined = (await socket.emitWithAck('subscribe', { trackingId: 'order-1' })) as { resume?: string }
  if (joined.resume !== undefined) secrets['ticket of a socket'] = joined.resume

  const session = await fetch(`${opsUrl}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${secrets['token of ops']}`,
  })
  secrets['session of ops'] = /=([^;]+)/.exec(session.headers.get('set-cookie') ?? '')![1]!

  await publish(messages.filter(isPayment))
  await receiver.waitForRequests(5)

  await t.test('a trace goes from the message to the webhook', async t => {
    const request = receiver.requests[0]!
    const { data } = JSON.parse(request.body) as { data: { signature: string } }
    const [traceId, spanId] = traceOf.get(data.signature)!.split(' ')
    const [, gotTrace, gotSpan] = String(request.headers.traceparent).split('-')
    t.equal(gotTrace, traceId, 'the endpoint is told the trace of the message')
    const ofTrace = await waitFor(
      () => {
        const spans = readSpans(collector.requests).filter(span => span.traceId === traceId)
        return spans.length >= 2 && spans
      },
      { what: 'the spans to arrive' },
    )
    const ingest = ofTrace.find(({ name }) => name === 'event.ingest')
    const attempt = ofTrace.find(({ name }) => name === 'webhook.attempt')
    t.match(ingest, { parentSpanId: spanId, service: 'payment-tracking-ingest' })
    t.match(attempt, {
      parentSpanId: ingest?.spanId,
      spanId: gotSpan,
      service: 'payment-tracking-webhook-worker',
    })
    const strays = receiver.requests.filter(({ body, headers }) => {
      const { signature } = (JSON.parse(body) as { data: { signature: string } }).data
      return String(headers.traceparent).split('-')[1] !== traceOf.get(signature)!.split(' ')[0]
    })
    t.same(strays, [], 'and so is each of the others')
    const requests = await waitFor(
      () => {
        const spans = readSpans(collector.requests).filter(
          ({ service }) => service === 'payment-tracking-api',
        )
        return spans.length > 0 && spans
      },
      { what: 'spans of the API' },
    )
    t.match(requests[0], {
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      name: /^(POST|GET) \/v1\//,
    })
    t.equal(collector.requests[0]!.headers['x-collector-key'], secrets["collector's header"])
  })

  await t.test('every metric is in the table, and every row of the table is a metric', async t => {
    const exposed = new Map<string, Map<string, ExposedMetric>>()
    for (const [name, service] of Object.entries(services))
      exposed.set(name, readExposition(await service.metrics()))
    holdDocument(t, DOC, withMetricsTable(exposed))
    const table = readMetricsTable()
    for (const [service, metrics] of exposed) {
      const rows = table.filter(row => row.services.includes('all') || row.services.includes(service))
      const known = new Set(rows.map(({ name }) => name))
      // Most figures of Node are for information only, and not in the table.
      const ours = [...metrics.keys()].filter(name => name.startsWith('payment_tracking_') || known.has(name))
      t.same(ours.sort(), [...known].sort(), `the metrics of ${service}`)
      for (const name of ours) {
        const { type, samples } = metrics.get(name)!
        const row = rows.find(each => each.name === name)
        if (!row) continue
        t.equal(type, row.type, `${name} is a ${row.type}`)
        const labels = new Set(samples.flatMap(sample => Object.keys(sample.labels)))
        const unnamed = [...labels].filter(label => !row.labels.includes(label))
        t.same(unnamed, [], `labels of ${name}`)
        t.ok(new Set(samples.map(sample => JSON.stringify(sample.labels))).size <= 200, `${name} is bounded`)
        for (const value of samples.flatMap(sample => Object.values(sample.labels)))
          t.notMatch(value, /[1-9A-HJ-NP-Za-km-z]{32,}|\d+\.\d+\.\d+\.\d+|order-1/, `${name} names nobody`)
      }
    }
    const valueOf = (service: string, name: string) => exposed.get(service)!.get(name)!.samples[0]?.value
    for (const service of names) t.equal(valueOf(service, 'payment_tracking_ready'), 1)
    t.equal(valueOf('realtime', 'payment_tracking_realtime_connections'), 1)
    t.type(valueOf('ingest', 'payment_tracking_ingest_lag_seconds'), 'number')
    t.ok(
      exposed
        .get('ops')!
        .get('payment_tracking_dead_letters')!
        .samples.some(({ labels, value }) => labels.state === 'open' && value > 0),
      'dead letters are counted by code',
    )
  })

  await t.test('a server that refuses a password is reported without it', async t => {
    const wrong = `wr0ng-${randomBytes(8).toString('hex')}@/?`
    secrets['wrong password'] = wrong
    const spoilt = (url: string) => {
      const parsed = new URL(url)
      parsed.password = encodeURIComponent(wrong)
      return parsed.href
    }
    const spoiltUrls = {
      DATABASE_URL: spoilt(env.DATABASE_URL),
      REDIS_URL: spoilt(env.REDIS_URL),
      NATS_URL: spoilt(env.NATS_URL),
      OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
    }
    // The console has no server.
    const asked = names.filter(name => name !== 'console')
    const strangers = await Promise.all(
      asked.map(name => startService(t, name, { ...env, ...spoiltUrls }, { waitUntilReady: false })),
    )
    // Each either ends or complains; nothing it says may hold the password.
    for (const [at, stranger] of strangers.entries()) {
      await waitFor(() => REFUSED.test(stranger.output), { what: `${asked[at]} to be refused` })
      const isReady = stranger.logs.some(({ msg }) => msg === 'service.ready')
      const readiness = isReady ? await fetch(`${stranger.managementUrl}/readyz`) : undefined
      if (readiness) t.equal(readiness.status, 503)
      t.same(findSecrets((await readiness?.text()) ?? '', secrets), [], `readiness of ${asked[at]}`)
      await stranger.stop('SIGKILL')
      t.same(findSecrets(stranger.output, secrets), [], String(asked[at]))
    }
  })

  await t.test('nothing that was logged holds a secret', async t => {
    await Promise.all(started.map(service => service.stop()))
    for (const [name, { output, logs }] of Object.entries(services)) {
      t.ok(logs.length > 1, `${name} logged`)
      t.same(findSecrets(output, secrets), [], name)
    }
    t.ok(Object.keys(secrets).length >= 14)
  })
})
