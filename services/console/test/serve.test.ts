// The web server of the console, run as it is in production, with the pages that were built.
import { readdirSync, readFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { startService, waitFor, type TestContext } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { insertSettings } from '../src/files/insert-settings.js'

const SITE = join(import.meta.dirname, '../dist/site')
const BUILT = readFileSync(join(SITE, 'index.html'), 'utf8')
const INDEX = Buffer.from(insertSettings(BUILT, { environment: 'production', explorerUrl: undefined }))
const ASSETS = readdirSync(join(SITE, 'assets')).filter(name => !/\.(br|gz)$/.test(name))

async function openConsole(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, 'console', { PORT: '0', ...env })
  const { address } = await service.waitForLog('http.listening')
  return { service, port: Number(new URL(String(address)).port) }
}

/** Asks for exactly this path: `fetch` would resolve `..` by itself. */
async function ask(
  { port }: { port: number },
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request({ host: '127.0.0.1', port, path, headers, method }, resolve).on('error', reject).end(),
  )
  const body = Buffer.concat(await answer.toArray())
  return { status: answer.statusCode, headers: answer.headers, body }
}

function isRefusal(
  t: Test,
  answer: Awaited<ReturnType<typeof ask>>,
  status: number,
  code: string,
  what: string,
) {
  t.equal(answer.status, status, what)
  t.match(answer.headers['content-type'], 'application/json', what)
  const shape = { success: false, error: String, code, timestamp: Number, requestId: String }
  t.match(JSON.parse(String(answer.body)), shape, what)
}

t.test('pages, their files and what is refused', async t => {
  const console = await openConsole(t)

  await t.test('every page is the same file, asked for anew each time, under a strict policy', async t => {
    for (const path of [
      '/console/',
      '/console/payments?q=1',
      '/console/endpoints/17/deliveries/4',
      '/console/a.b',
    ]) {
      const page = await ask(console, path)
      t.equal(page.status, 200, path)
      t.strictSame(page.body, INDEX, path)
      t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
      const policy = String(page.headers['content-security-policy'])
      t.match(policy, "default-src 'none'")
      t.match(policy, "frame-ancestors 'none'")
      t.notMatch(policy, /unsafe|http|\*/, 'no other server, and nothing that stands in the page')
      t.equal(page.headers['x-content-type-options'], 'nosniff')
    }
    const moved = await ask(console, '/console?x=1')
    t.match(moved, { status: 301, headers: { location: '/console/?x=1' } })
  })

  await t.test('assets are kept for a year, in the smallest form that the browser takes', async t => {
    t.ok(ASSETS.length >= 2)
    for (const name of ASSETS) {
      const path = `/console/assets/${name}`
      const plain = await ask(console, path)
      t.equal(plain.status, 200, path)
      t.strictSame(plain.body, readFileSync(join(SITE, 'assets', name)))
      t.match(plain.headers, { 'cache-control': /max-age=31536000, immutable/, vary: 'accept-encoding' })
      t.notOk(plain.headers['content-encoding'])
      const brotli = await ask(console, path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      const gzip = await ask(console, path, { 'accept-encoding': 'br;q=0, gzip;q=0.5' })
      t.equal(brotli.headers['content-encoding'], 'br')
      t.strictSame(brotliDecompressSync(brotli.body), plain.body)
      t.equal(gzip.headers['content-encoding'], 'gzip')
      t.strictSame(gunzipSync(gzip.body), plain.body)
      t.ok(brotli.body.length < gzip.body.length && gzip.body.length < plain.body.length)
      const etags = [plain, brotli, gzip].map(({ headers }) => headers.etag)
      t.equal(new Set(etags).size, 3, 'each form has a mark of its own')
    }
  })

  await t.test('what the browser has already is not sent again', async t => {
    const { headers } = await ask(console, '/console/', { 'accept-encoding': 'br' })
    const known = { 'accept-encoding': 'br', 'if-none-match': `"other", W/${headers.etag}` }
    const again = await ask(console, '/console/payments', known)
    t.match(again, { status: 304, headers: { etag: headers.etag } })
    t.equal(again.body.length, 0)
    t.equal((await ask(console, '/console/', { 'if-none-match': String(headers.etag) })).status, 200)
  })

  await t.test('HEAD answers without a body', async t => {
    const head = await ask(console, '/console/', {}, 'HEAD')
    t.match(head, { status: 200, headers: { 'content-length': String(INDEX.length) } })
    t.equal(head.body.length, 0)
  })

  await t.test('no path leaves the site, and what is refused has the one shape of errors', async t => {
    for (const path of [
      '/',
      '/consoles',
      '/v1/health',
      '/console/assets/missing.js',
      '/console/assets/',
      '/console/../package.json',
      '/console/assets/../../../package.json',
      '/console/..%2f..%2fpackage.json',
      '/console/%2e%2e/%2e%2e/etc/passwd',
      '/console/..%5c..%5cpackage.json',
      '/console/%00',
      '/console/%',
      '//console/',
    ])
      isRefusal(t, await ask(console, path), 404, 'NOT_FOUND', path)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const refused = await ask(console, '/console/', {}, method)
      isRefusal(t, refused, 405, 'METHOD_NOT_ALLOWED', method)
      t.equal(refused.headers.allow, 'GET, HEAD')
    }
    const socket = connect(console.port, '127.0.0.1')
    socket.write('rubbish\r\n\r\n')
    const heard = await text(socket)
    t.match(heard, /^HTTP\/1\.1 400 [^]*"code":"INVALID_REQUEST"/)
  })

  await t.test('the management port says that it lives, is ready and what it did', async t => {
    const { managementUrl } = console.service
    t.equal((await fetch(`${managementUrl}/healthz`)).status, 200)
    t.match(await (await fetch(`${managementUrl}/readyz`)).json(), { ready: true, dependencies: {} })
    const metrics = await console.service.metrics()
    t.match(metrics, /^payment_tracking_console_requests_total\{status="200"\} [1-9]/m)
    const line = await console.service.waitForLog('request.answered', ({ status }) => status === 404)
    t.match(line, { service: 'console', method: 'GET', path: '/', durationMs: Number })
    t.equal((await ask(console, '/healthz')).status, 404, 'nothing of it is on the public port')
  })
})

t.test('a stop finishes at once, also while clients keep connections open', async t => {
  const console = await openConsole(t)
  const socket = connect(console.port, '127.0.0.1').setEncoding('utf8')
  let heard = ''
  socket.on('data', (chunk: string) => (heard += chunk))
  socket.write('GET /console/ HTTP/1.1\r\nhost: x\r\n\r\n')
  await waitFor(() => heard.includes('</html>'), { what: 'a page' })
  t.equal(await console.service.stop('SIGTERM'), 0, 'the deadline did not pass')
})

t.test('another environment stands in the title, the icon and the page, and nothing breaks out', async t => {
  const EXPLORER_URL = 'https://explorer.example/{kind}/{value}?a&b'
  const console = await openConsole(t, { ENVIRONMENT: 'devnet', EXPLORER_URL })
  const { body, headers } = await ask(console, '/console/', { 'accept-encoding': 'br' })
  t.equal(headers['content-encoding'], 'br')
  const page = String(brotliDecompressSync(body))
  t.match(page, '<title>[devnet] Payment tracking</title>')
  t.match(page, 'data-environment="devnet"')
  t.match(page, 'data-explorer="https://explorer.example/{kind}/{value}?a&amp;b"')
  t.match(page, 'href="/console/icon-other.svg"')
  t.equal((await ask(console, '/console/icon-other.svg')).headers['content-type'], 'image/svg+xml')
  const hostile = insertSettings(BUILT, { environment: '"><script>', explorerUrl: undefined })
  t.notMatch(hostile, '"><script>')
  t.throws(() => insertSettings('<html>', { environment: '', explorerUrl: undefined }), /data-environment/)
})

t.test('settings that are wrong are named in one line', async t => {
  const service = await startService(
    t,
    'console',
    { PORT: 'eighty', EXPLORER_URL: 'javascript:{value}' },
    { waitUntilReady: false },
  )
  t.equal(await service.exited, 1)
  t.match(service.output, /^ {2}- PORT /m)
  t.match(service.output, /^ {2}- EXPLORER_URL /m)
})
