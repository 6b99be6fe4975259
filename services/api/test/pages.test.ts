// The pages for people: the base URL, and the files of the console.
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { openApi } from './open-api.js'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

t.test('the base URL opens as a page for people, and refuses machines as before', async t => {
  const { app } = await openApi(t, { OPS_URL: 'http://127.0.0.1:3004/', ENVIRONMENT: 'devnet' })
  const page = await app.inject({ url: '/?from=a-link', headers: { accept: BROWSER } })
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-type'], 'text/html')
  for (const href of ['/console/', '/docs/', 'http://127.0.0.1:3004/', '/openapi.json', '/v1/health'])
    t.match(page.body, `href="${href}"`)
  t.match(page.body, 'Environment devnet')
  t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/)
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/plain, */*']) {
    const refused = await app.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
    t.equal(refused.statusCode, 404, accept ?? 'no header')
    t.match(refused.json(), { success: false, code: 'NOT_FOUND' })
    t.equal(refused.headers.vary, 'accept')
  }
})

t.test('without OPS_URL nothing points at a dashboard', async t => {
  const { app } = await openApi(t)
  const page = await app.inject({ url: '/', headers: { accept: BROWSER } })
  t.notMatch(page.body, 'Ops dashboard')
})

t.test('the console is served below the base URL, under a policy without other servers', async t => {
  const { app } = await openApi(t)
  t.match((await app.inject('/console')).headers, { location: '/console/' })
  const index = await app.inject('/console/')
  t.equal(index.statusCode, 200)
  t.equal(index.headers['cache-control'], 'no-cache')
  const policy = String(index.headers['content-security-policy'])
  t.match(policy, "default-src 'none'")
  t.notMatch(policy, 'unsafe')
  t.notMatch(policy, 'http')
  const deep = await app.inject('/console/endpoints/17/deliveries/4?x=y')
  t.equal(deep.body, index.body, 'every page of the console is the same file')

  const [script] = /assets\/[\w-]+\.js/.exec(index.body)!
  const plain = await app.inject(`/console/${script}`)
  t.match(plain.headers, { 'content-type': /javascript/, 'cache-control': /immutable/ })
  const small = await app.inject({ url: `/console/${script}`, headers: { 'accept-encoding': 'gzip' } })
  t.equal(gunzipSync(small.rawPayload).toString(), plain.body)
  t.equal((await app.inject('/console/assets/missing.js')).statusCode, 404)
  const outside = await app.inject('/console/..%2f..%2fpackage.json')
  t.notMatch(outside.body, 'workspaces', 'no file outside of the site')
})

t.test('pages learn how amounts are shown', async t => {
  const { get } = await openApi(t)
  const { body } = await get('/v1/token-mints')
  t.match(body, [{ tokenMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 }])
})
