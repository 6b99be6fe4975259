import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { openApi } from './open-api.js'

const { app, get } = await openApi(t, { RATE_LIMIT_MAX: '100000' })
const document = (await get('/openapi.json')).body
const REDOCLY = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
const RULES = fileURLToPath(new URL('redocly.yaml', import.meta.url))

interface Operation {
  security?: Record<string, string[]>[]
  operationId: string
  summary: string
  responses: Record<string, unknown>
}
/** How the reference names operations in its list: `List payments`. */
const SHORT_NAME =
  /^(?=.{4,40}$)(Cancel|Check|Count|Create|Delete|Export|Get|Issue|List|Read|Redeliver|Refresh|Replay|Revoke|Rotate|Search|Send|Sign|Stream|Trace|Update)\b/
type Operations = Record<string, Operation>

/**
 * Pairs of paths that match one text, `/v1/webhooks/gateway/secret`. The id of a webhook is a number, so no request is
 * meant for both.
 */
const KNOWN_PAIRS = ['answers', 'secret', 'deliveries', 'redeliver', 'replay-missing', 'test'].map(action => [
  '`/v1/webhooks/gateway/{gatewayPubkey}`',
  `\`/v1/webhooks/{id}/${action}\``,
])

t.test('no rule of Redocly or Spectral is broken, but by the pairs of paths that are known', async t => {
  const { status, text, body } = await get('/openapi.json', { headers: { host: 'pay.example' } })
  t.equal(status, 200)
  t.equal(body.openapi, '3.1.0')
  t.ok(body.info.contact.name)
  const file = join(mkdtempSync(join(tmpdir(), 'openapi-')), 'openapi.json')
  writeFileSync(file, text)
  // Rejects with what it printed when a rule is broken.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [REDOCLY, 'lint', '--config', RULES, '--format', 'json', file],
    { env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  )
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] }
  const unknown = problems.filter(
    ({ ruleId, message }) =>
      ruleId !== 'no-ambiguous-paths' ||
      !KNOWN_PAIRS.some(pair => pair.every(path => message.includes(path))),
  )
  t.same(unknown, [])
  t.equal(problems.length, KNOWN_PAIRS.length)
  t.equal(body.paths['/v1/webhooks/{id}/secret'].get.parameters[0].schema.type, 'integer')
})

t.test('the rules of Spectral that Redocly does not have hold too', async t => {
  const { text } = await get('/openapi.json')
  t.ok(document.info.description, 'info-description')
  t.notMatch(text, /<script|\beval\(/i, 'no-script-tags-in-markdown, no-eval-in-markdown')
  const faults: string[] = []
  const look = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, items, enum: choices } = value as { type?: unknown; items?: unknown; enum?: unknown }
    if (type === 'array' && items === undefined) faults.push(`array-items: ${path}`)
    if (Array.isArray(choices) && new Set(choices).size < choices.length)
      faults.push(`duplicated-entry-in-enum: ${path}`)
    for (const [name, inner] of Object.entries(value)) look(inner, `${path}/${name}`)
  }
  look(document, '')
  t.same(faults, [])
})

t.test('the document names the server as the client reached it', async t => {
  const ask = async (url: string, host: string) => (await app.inject({ url, headers: { host } })).body
  const urlOf = async (host: string) => JSON.parse(await ask('/openapi.json', host)).servers[0].url
  t.equal(await urlOf('pay.example:3002'), 'http://pay.example:3002')
  t.equal(await urlOf('[::1]:3002'), 'http://[::1]:3002')
  for (const host of ['a"b', 'evil.example/path', 'a b', 'x'.repeat(300)])
    t.equal(await urlOf(host), '/', host)
  t.match(await ask('/openapi.yaml', 'pay.example'), /\n {2}- url: http:\/\/pay\.example\n/)
  const proxied = await openApi(t, { TRUST_PROXY: '127.0.0.1' })
  const headers = { host: 'pod', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pay.example' }
  const { servers } = (await proxied.app.inject({ url: '/openapi.json', headers })).json()
  t.equal(servers[0].url, 'https://pay.example')
})

t.test('every operation has an id, a summary, a tag and the refusals it can meet', async t => {
  t.equal(document.tags[0].name, 'payments', 'what most readers come for stands first')
  const ids = new Set<string>()
  for (const [path, methods] of Object.entries<Operations>(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method} ${path}`
      t.match(operation, { operationId: String, description: /\w/, tags: [String] }, name)
      t.match(operation.summary, SHORT_NAME, `${name}: a verb, and what it does it to`)
      for (const scheme of operation.security ?? [])
        t.same(Object.values(scheme).flat(), [], `${name} names roles in its description`)
      t.notOk(ids.has(operation.operationId), `${operation.operationId} is used once`)
      ids.add(operation.operationId)
      if (path === '/v1/health') continue
      t.ok(operation.responses['400'], `${name} documents 400`)
      t.ok(operation.responses['503'], `${name} documents 503`)
    }
  }
  t.equal(JSON.stringify(document).includes('rawJson'), false)
})

const asPerson = { accept: 'text/html,application/xhtml+xml' }

t.test('the pages of the reference have no script, and name the server as the reader reached it', async t => {
  t.equal((await app.inject('/docs')).headers.location, '/docs/')
  for (const url of ['/docs/', '/docs/rest/', '/docs/messages/', '/docs/guides/', '/docs/search?q=payment']) {
    const page = await app.inject({ url, headers: { host: 'pay.example', ...asPerson } })
    t.equal(page.statusCode, 200, url)
    t.match(page.headers['content-type'], /text\/html/)
    t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/)
    t.notMatch(page.body, /<script|\son[a-z]+=|javascript:/i, url)
    t.equal(
      [...page.body.matchAll(/https?:\/\/(?!pay\.example)[^\s'"<]+\.(?:js|css|woff2?)/g)].length,
      0,
      url,
    )
  }
  const { body } = await app.inject({ url: '/docs/rest/', headers: { host: 'pay.example' } })
  for (const [path, methods] of Object.entries<Operations>(document.paths))
    for (const method of Object.keys(methods)) t.ok(body.includes(`/${method.toUpperCase()}${path}"`), path)
  t.match(body, String.raw`curl -sw '\n' 'http://pay.example/v1/onetime/order-4711'`)
  const { body: first } = await app.inject({ url: '/docs/', headers: { host: 'pay.example' } })
  const calls = [...first.matchAll(/curl -sw '\\n' '?(?:http:\/\/pay\.example)([^\s'<&]+)/g)].map(
    ([, url]) => url!,
  )
  t.equal(calls.length, 3)
  for (const url of calls) t.equal((await app.inject(url)).statusCode, 200, url)
  const hostile = await app.inject({ url: '/docs/', headers: { host: '"><b>' } })
  t.notMatch(hostile.body, '<b>')
  t.equal((await app.inject('/docs/openapi.json')).headers.location, '/openapi.json')
})

t.test('the search finds routes, messages and sections, and shows what was written as text', async t => {
  const find = async (q: string) => (await app.inject(`/docs/search?q=${encodeURIComponent(q)}`)).body
  const replayLink = await find('replay-missing')
  t.match(replayLink, 'href="/docs/rest/#tag/webhook-deliveries/POST/v1/webhooks/{id}/replay-missing"')
  t.match(await find('retraction'), 'href="/docs/messages/#')
  t.match(await find('merge rule'), 'href="/docs/realtime.md#the-merge-rule"')
  t.match(await find('no such words at all'), '0 found')
  t.notMatch(await find('<b>"x'), '<b>"x')
})

t.test('a wrong address is a page for people, and the one shape of errors for programs', async t => {
  const page = await app.inject({ url: '/no/<b>such', headers: asPerson })
  t.equal(page.statusCode, 404)
  t.match(page.headers['content-type'], /text\/html/)
  t.match(page.body, 'href="/docs/rest/"')
  t.notMatch(page.body, '<b>such')
  t.match((await app.inject('/no/such')).json(), { code: 'NOT_FOUND' })
  const neverPaid = (await app.inject({ url: '/v1/onetime/never-paid', headers: asPerson })).json()
  t.match(neverPaid, { code: 'NOT_FOUND' })
})

t.test('a document is a page for people, and Markdown for programs', async t => {
  const page = await app.inject({ url: '/docs/webhooks.md', headers: asPerson })
  t.match(page.headers, { 'content-type': /text\/html/, vary: /accept/ })
  t.match(page.body, '<h2 id="the-message">The message</h2>')
  t.match(page.body, 'href="#when-an-endpoint-fails"')
  t.notMatch(page.body, /^\||```|\]\(/m, 'no Markdown is left')
  t.match((await app.inject('/docs/webhooks.md')).headers['content-type'], 'text/markdown')
})

t.test("the client's document equals the served document", async t => {
  const kept = readFileSync(new URL('../../../packages/client/openapi.json', import.meta.url), 'utf8')
  const served = { ...document, servers: [{ ...document.servers[0], url: '/' }] }
  t.strictSame(JSON.parse(kept), served, 'run `npm run openapi -w services/api`')
})
