// The pages for people: the base URL, and what the console's pages ask.
import t from 'tap'
import { openApi } from './open-api.js'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

t.test('the base URL opens as a page for people, and is JSON for everybody else', async t => {
  const { app } = await openApi(t, { OPS_URL: 'http://127.0.0.1:3004/', ENVIRONMENT: 'devnet' })
  const page = await app.inject({ url: '/?from=a-link', headers: { accept: BROWSER } })
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-type'], 'text/html')
  for (const href of ['/console/', '/docs/', 'http://127.0.0.1:3004/', '/openapi.json', '/v1/health'])
    t.match(page.body, `href="${href}"`)
  t.match(page.body, 'Environment devnet')
  t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/)
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/plain, */*']) {
    const answer = await app.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
    t.equal(answer.statusCode, 200, accept ?? 'no header')
    t.match(answer.headers['content-type'], 'application/json')
    t.match(answer.json(), { success: true, data: { service: 'payment-tracking-api', reference: '/docs/' } })
    t.match(answer.headers.vary, /accept/)
  }
})

const { app, get } = await openApi(t)

t.test('without OPS_URL nothing points at a dashboard', async t => {
  const page = await app.inject({ url: '/', headers: { accept: BROWSER } })
  t.notMatch(page.body, 'Ops dashboard')
})

t.test('the console is another service: the api has nothing at its path', async t => {
  for (const url of ['/console', '/console/', '/console/assets/index.js']) {
    const refused = await app.inject({ url })
    t.equal(refused.statusCode, 404, url)
    t.match(refused.json(), { success: false, code: 'NOT_FOUND' })
    t.match((await app.inject({ url, headers: { accept: BROWSER } })).body, 'There is nothing here')
  }
})

t.test('pages learn how amounts are shown', async t => {
  const { body } = await get('/v1/token-mints')
  t.match(body, [{ tokenMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 }])
})
