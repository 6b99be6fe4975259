import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { openApi } from './open-api.js'

const { app } = await openApi(t, { RATE_LIMIT_MAX: '100000' })

t.test("large answers are compressed by the client's preference, with the same content", async t => {
  const ask = (encoding: string) =>
    app.inject({ url: '/openapi.json', headers: { 'accept-encoding': encoding } })
  const plain = await ask('identity')
  t.equal(plain.headers['content-encoding'], undefined)
  const gzip = await ask('gzip')
  t.equal(gzip.headers['content-encoding'], 'gzip')
  t.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  const br = await ask('br, gzip')
  t.equal(br.headers['content-encoding'], 'br')
  t.equal(brotliDecompressSync(br.rawPayload).toString(), plain.body)
  t.match(br.headers.vary, /accept-encoding/)
  t.equal(br.headers.etag, plain.headers.etag)
  const small = await app.inject({ url: '/v1/events', headers: { 'accept-encoding': 'gzip' } })
  t.equal(small.headers['content-encoding'], undefined)
})

t.test('an unchanged answer is not sent again', async t => {
  for (const url of [
    '/v1/events',
    '/v1/events/names',
    '/v1/subscriptions?trackingId=x',
    '/openapi.json',
    '/docs/',
  ]) {
    const first = await app.inject(url)
    t.equal(first.statusCode, 200, url)
    const again = await app.inject({ url, headers: { 'if-none-match': first.headers.etag as string } })
    t.equal(again.statusCode, 304, url)
    t.equal(again.body, '')
    const etag = first.headers.etag as string
    for (const list of [`"x", ${etag}`, `${etag} , W/"x"`, etag.replace('W/', ''), '*']) {
      t.equal((await app.inject({ url, headers: { 'if-none-match': list } })).statusCode, 304, list)
    }
    t.equal((await app.inject({ url, headers: { 'if-none-match': '"x", W/"y"' } })).statusCode, 200)
  }
  const missing = await app.inject({ url: '/v1/onetime/nothing', headers: { 'if-none-match': '*' } })
  t.equal(missing.statusCode, 404, 'a refusal is never "not modified"')
})

t.test('pages of other sites may read answers and the important headers', async t => {
  const answer = await app.inject({ url: '/v1/events', headers: { origin: 'https://shop.example' } })
  t.equal(answer.headers['access-control-allow-origin'], '*')
  const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
  for (const name of ['x-next-cursor', 'x-position', 'x-epoch']) t.ok(exposed.includes(name), name)
  const refused = await app.inject({ url: '/nowhere', headers: { origin: 'https://shop.example' } })
  t.equal(refused.headers['access-control-allow-origin'], '*')
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/v1/events',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-min-position',
    },
  })
  t.equal(preflight.statusCode, 204)
  t.match(preflight.headers['access-control-allow-headers'], 'x-min-position')
  t.match(preflight.headers['access-control-allow-methods'], /GET/)
})

t.test('only pages of the configured origins may read', async t => {
  const { app } = await openApi(t, { CORS_ORIGIN: 'https://a.example, https://B.example:443/' })
  const allowed = async (origin: string) =>
    (await app.inject({ url: '/v1/health', headers: { origin } })).headers['access-control-allow-origin']
  t.equal(await allowed('https://b.example'), 'https://b.example')
  t.equal(await allowed('https://c.example'), undefined)
})

t.test('HEAD answers as GET without the body, OPTIONS tells the methods', async t => {
  const get = await app.inject('/v1/events')
  const head = await app.inject({ method: 'HEAD', url: '/v1/events' })
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
  t.equal(head.headers['content-length'], get.headers['content-length'])
  t.equal(head.headers.etag, get.headers.etag)
  const options = await app.inject({ method: 'OPTIONS', url: '/v1/onetime/x' })
  t.equal(options.statusCode, 204)
  t.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
  t.equal((await app.inject({ method: 'OPTIONS', url: '/nowhere' })).statusCode, 404)
})

t.test('every answer carries the security headers', async t => {
  for (const url of ['/v1/health', '/nowhere', '/v1/events?limit=x', '/docs/']) {
    const { headers } = await app.inject(url)
    t.match(
      headers,
      {
        'x-content-type-options': 'nosniff',
        'strict-transport-security': /max-age/,
        'referrer-policy': 'no-referrer',
        'content-security-policy': /default-src 'none'/,
        'x-request-id': String,
      },
      url,
    )
    t.equal(headers['x-powered-by'], undefined)
  }
})
