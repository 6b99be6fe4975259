// Every request gets a documented answer: never a 5xx, always the common shape, never internal details. 600 requests;
// FUZZ_REQUESTS sets another number, SEED repeats a run.
import { connect } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import { makeCheckoutKey } from '../checkout/make-checkout-keys.js'
import { fillFromFixtures } from '../fill-from-fixtures.js'
import { openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { hostileRequests, type Document, type HostileRequest } from './hostile-requests.js'
import { openSender, type Received } from './send.js'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 600)
const seed = Number(process.env.SEED ?? 1)
const INTERNALS = /node_modules|\.[jt]s:\d|prisma|postgres|sqlstate|\bselect\b|econn|redis:|at async|stack/i

const api = await openGatewayApi(t, {
  settings: {
    RATE_LIMIT_MAX: '100000000',
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    CHECKOUT_TOKEN_KEYS: JSON.stringify([makeCheckoutKey()]),
  },
})
await fillFromFixtures(api.store)
const [app] = api.apps
await app!.listen({ port: 0, host: '127.0.0.1' })
const { port } = app!.server.address() as { port: number }
const document = (await app!.inject('/openapi.json')).json<Document>()
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'api')

/** Finds the schema of an answer in the document. */
const pointer = (...parts: string[]) =>
  `api#/${parts.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

const isRefusalShape = ajv.compile({
  $ref: pointer('components', 'schemas', 'ErrorAnswer'),
  unevaluatedProperties: false,
})

/** The fault of an answer; undefined for a correct answer. */
function faultOf(
  { operation, method, target, headers: sent }: HostileRequest,
  { status, headers, body }: Received,
): string | undefined {
  if (status >= 500) return `${status}`
  if (typeof headers['x-request-id'] !== 'string') return 'no x-request-id'
  if (method === 'HEAD') return body === '' ? undefined : 'HEAD with a body'
  // A person who looks for a page sees one.
  if (
    status === 404 &&
    sent['accept']?.includes('text/html') &&
    headers['content-type']?.startsWith('text/html')
  )
    return undefined
  if (status >= 400) {
    if (headers['content-type'] !== 'application/json; charset=utf-8')
      return `refusal as ${headers['content-type']}`
    const refusal = JSON.parse(body) as { requestId: string; error: string }
    if (!isRefusalShape(refusal)) return `refusal of another shape: ${body}`
    if (refusal.requestId !== headers['x-request-id']) return 'another request id'
    // The sentence may repeat the client's own text, but no other input.
    const said = refusal.error.replace(/^(Parameter|Field) \S+ /, '')
    return INTERNALS.test(said) ? `internals: ${refusal.error}` : undefined
  }
  if (operation === null || status === 304 || status === 204 || status === 101) return undefined
  const response = document.paths[operation.path]?.[operation.method]?.responses[status]
  if (!response) return `${status} is not documented for ${target}`
  const validate = ajv.getSchema(
    pointer(
      'paths',
      operation.path,
      operation.method,
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ),
  )
  if (!validate) return `the body of ${status} is not documented`
  return validate(JSON.parse(body)) ? undefined : `not as documented: ${ajv.errorsText(validate.errors)}`
}

const columns = async (sql: string) =>
  (await api.database.pool.query<{ value: string }>(sql)).rows.map(({ value }) => value)
const cursor = (...parts: (string | number)[]) => Buffer.from(parts.join(' ')).toString('base64url')
const id = '00000000-0000-4000-8000-000000000000'
const known = {
  cursor: [
    cursor('t', 1_795_000_000_000, 1, 0, id),
    cursor('s', 0, 9_007_199_254_740_991, 0, id),
    cursor('t', -62_135_596_800_001, 1, 0, id),
    cursor('t', 253_402_300_799_999, 8_999_999_999_999_999, 8_999_999_999_999_999, id),
    cursor('t', 999_999_999_999_999, 1, 0, id),
    cursor('p', 0, 'So11111111111111111111111111111111111111112'),
    cursor('p', -999_999_999_999_999, 'So11111111111111111111111111111111111111112'),
    cursor('c', id, 0),
    cursor('t', 1),
    cursor('t', 'x', 1, 0, id),
  ],
  'public-key': await columns(
    'select distinct gateway as value from events where gateway is not null limit 20',
  ),
  signature: await columns('select signature as value from events limit 20'),
  'tracking-id': await columns('select tracking_id as value from trackings limit 20'),
  'event-name': await columns('select distinct name as value from events'),
}

t.test(
  `${REQUESTS} hostile requests get documented answers (seed ${seed})`,
  { timeout: 7_200_000 },
  async t => {
    const sender = openSender(port)
    t.teardown(sender.close)
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(hostileRequests(document, known), async request => {
        const received = await sender.send(request)
        statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1)
        const fault = faultOf(request, received)
        if (fault !== undefined) throw new Error(`${fault}: ${received.body.slice(0, 500)}`)
      }),
      { numRuns: REQUESTS, seed, endOnFailure: false },
    )
    t.comment(
      [...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    )
    t.ok((statuses.get(200) ?? 0) > REQUESTS / 20, 'many got through to a right answer')
    t.ok((statuses.get(400) ?? 0) > REQUESTS / 20)
  },
)

t.test('bytes that are hardly HTTP get a refusal or a closed connection, never a crash', async t => {
  const say = (bytes: Buffer) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
      socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk))
      socket.on('close', () => resolve(answer))
      socket.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
      )
    })
  const line = fc.oneof(
    fc.constantFrom(
      'GET /v1/events HTTP/1.1',
      'GET /v1/events HTTP/1.0',
      'GET /v1/events HTTP/9.9',
      'GET http://x/v1/events HTTP/1.1',
      'GET * HTTP/1.1',
      'CONNECT x:1 HTTP/1.1',
      'PRI * HTTP/2.0',
      'POST /v1/webhooks HTTP/1.1',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  const header = fc.oneof(
    fc.constantFrom(
      'host: x',
      'host: x\r\nhost: y',
      'content-length: 5',
      'content-length: x',
      'content-length: 99999999999',
      'transfer-encoding: chunked',
      'transfer-encoding: x',
      'connection: upgrade\r\nupgrade: websocket',
      'connection: upgrade\r\nupgrade: h2c',
      'connection: close',
      'expect: 100-continue',
      'x:' + 'y'.repeat(20_000),
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(
      line,
      fc.array(header, { maxLength: 4 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
      async (first, headers, rest) => {
        const answer = await say(Buffer.from([first, ...headers, '', rest].join('\r\n')))
        if (answer === '') return
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
        if (!(status >= 100 && status < 500)) throw new Error(answer.slice(0, 500))
      },
    ),
    { numRuns: Math.min(REQUESTS / 10, 3_000), seed },
  )
  t.equal((await app!.inject('/v1/health')).statusCode, 200)
  const faults = api.logs.filter(line => line.includes('"level":"error"'))
  t.same(faults, [], 'nothing was our fault')
})
