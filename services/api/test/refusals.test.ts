import { sayTo } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi } from './open-api.js'

const { app, get } = await openApi(t, { RATE_LIMIT_MAX: '100000' })
const UUID = /^[0-9a-f-]{36}$/

t.test('every refusal has the common shape, with the request id in body and header', async t => {
  for (const [method, url, status, code] of [
    ['GET', '/v2', 404, 'NOT_FOUND'],
    ['GET', '/v2/events', 404, 'NOT_FOUND'],
    ['GET', '/v1/events/', 404, 'NOT_FOUND'],
    ['POST', '/nowhere', 404, 'NOT_FOUND'],
    ['GET', '/v1/onetime/nothing', 404, 'NOT_FOUND'],
    ['GET', '/v1/onetime/%E0%A4%A', 400, 'INVALID_REQUEST'],
    ['GET', '/v1/onetime/%00', 400, 'INVALID_PARAMETER'],
    ['GET', `/v1/onetime/${'x'.repeat(65)}`, 400, 'INVALID_PARAMETER'],
    ['GET', `/v1/onetime/${'x'.repeat(5000)}`, 400, 'INVALID_REQUEST'],
    ['POST', '/v1/events', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/onetime/x', 405, 'METHOD_NOT_ALLOWED'],
    ['PATCH', '/v1/health', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/events?limit=0', 400, 'INVALID_PARAMETER'],
  ] as const) {
    const answer = await app.inject({
      method,
      url,
      headers: { 'content-type': 'text/odd' },
      payload: method === 'GET' ? '' : 'x',
    })
    t.equal(answer.statusCode, status, `${method} ${url.slice(0, 60)}`)
    const body = answer.json()
    t.same(Object.keys(body), ['success', 'error', 'code', 'timestamp', 'requestId'])
    t.match(body, { success: false, error: String, code, timestamp: Number, requestId: UUID })
    t.equal(answer.headers['x-request-id'], body.requestId)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    if (status === 405) t.match(answer.headers.allow, /GET, HEAD, OPTIONS/)
  }
})

t.test('a path that leads nowhere says where to look', async t => {
  for (const method of ['GET', 'OPTIONS'] as const) {
    const hint = (await app.inject({ method, url: '/v1/payment' })).json().error
    t.match(hint, /; \/docs lists what there is\.$/)
    const socket = await app.inject({ method, url: '/socket.io/?EIO=4&transport=websocket' })
    t.equal(socket.statusCode, 404)
    t.match(socket.json().error, /sockets connect with path: '\/ws\/v1'\.$/)
  }
})

t.test("the caller's request id comes back when it is one plain word", async t => {
  const ask = async (id: string) =>
    (await app.inject({ url: '/v1/health', headers: { 'x-request-id': id } })).headers['x-request-id']
  t.equal(await ask('abc-1.2_3'), 'abc-1.2_3')
  t.match(await ask('a b'), UUID)
  t.match(await ask('x'.repeat(65)), UUID)
})

t.test('malformed and oversized HTTP is refused in the common shape', async t => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  for (const [bytes, status, code] of [
    ['rubbish\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['GET /v1/health HTTP/1.1\r\nhost: x\r\nx: \x01\r\n\r\n', 400, 'INVALID_REQUEST'],
    [`GET /v1/health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ] as const) {
    const [head, body] = (await sayTo(port, bytes)).split('\r\n\r\n')
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `))
    t.match(JSON.parse(body!), { success: false, error: String, code, timestamp: Number, requestId: UUID })
  }
})

t.test('a refusal of a body names the allowed size, type or form', async t => {
  const url = '/v1/gateway/So11111111111111111111111111111111111111112/auth/verify'
  const json = { 'content-type': 'application/json' }
  for (const [payload, headers, status, code] of [
    ['x'.repeat(70_000), json, 413, 'BODY_TOO_LARGE'],
    ['<a/>', { 'content-type': 'text/xml' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['{}', { ...json, 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['{', json, 400, 'INVALID_BODY'],
    ['[]', json, 400, 'INVALID_BODY'],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    t.equal(answer.statusCode, status, code)
    t.match(answer.json(), { success: false, error: String, code, requestId: String })
  }
})

t.test('health answers any request', async t => {
  t.match(await get('/v1/health?t=123&x='), { status: 200, body: { success: true, data: { status: 'ok' } } })
})

t.test('a parameter that is not known is refused with the nearest of the known ones', async t => {
  const ask = async (url: string, method: 'GET' | 'POST' | 'DELETE' = 'GET') => app.inject({ method, url })
  for (const [method, url, known] of [
    ['GET', `/v1/payments/${'1'.repeat(64)}/trace?x=1`, 'takes none'],
    ['GET', `/v1/payments/check?x=1`, 'known are '],
    ['GET', '/v1/events?x=1', 'known are '],
    ['GET', '/v1/token-mints?x=1', 'takes none'],
  ] as const) {
    const answer = await ask(url, method)
    t.equal(answer.statusCode, 400, url)
    t.equal(answer.json().code, 'INVALID_PARAMETER')
    t.match(answer.json().error, new RegExp(`^Parameter x is not known here.* ${known}`), url)
  }
  for (const [sent, nearest] of [
    ['limt', 'limit'],
    ['TRACKINGID', 'trackingId'],
    ['starttime', 'startTime'],
    ['x'.repeat(5_000), 'maxSlot'],
  ])
    t.match((await ask(`/v1/events?${sent}=2`)).json().error, `the nearest name is ${nearest};`)
})
