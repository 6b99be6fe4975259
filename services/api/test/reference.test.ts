import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openApi } from './open-api.js'

const REDOCLY = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))

interface Operation {
  operationId: string
  responses: Record<string, unknown>
}
type Operations = Record<string, Operation>

t.test('the OpenAPI document is valid by its linter', async t => {
  const { get } = await openApi(t)
  const { status, text, body } = await get('/openapi.json')
  t.equal(status, 200)
  t.equal(body.openapi, '3.1.0')
  const file = join(mkdtempSync(join(tmpdir(), 'openapi-')), 'openapi.json')
  writeFileSync(file, text)
  const lint = spawnSync(process.execPath, [REDOCLY, 'lint', '--format', 'json', file], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  t.equal(lint.status, 0, lint.stdout + lint.stderr)
})

t.test('every operation has an id, a summary, a tag and the refusals it can meet', async t => {
  const { get } = await openApi(t)
  const { body } = await get('/openapi.json')
  const ids = new Set<string>()
  for (const [path, methods] of Object.entries<Operations>(body.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method} ${path}`
      t.match(operation, { operationId: String, summary: String, tags: [String] }, name)
      t.notOk(ids.has(operation.operationId), `${operation.operationId} is used once`)
      ids.add(operation.operationId)
      if (path === '/v1/health') continue
      t.ok(operation.responses['400'], `${name} documents 400`)
      t.ok(operation.responses['503'], `${name} documents 503`)
    }
  }
  t.equal(JSON.stringify(body).includes('rawJson'), false)
})

t.test('attempts is a number and attemptLog a list in every answer', async t => {
  const { get } = await openApi(t)
  const { body } = await get('/openapi.json')
  const found: Record<string, string[]> = { attempts: [], attemptLog: [] }
  const look = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [name, value] of Object.entries(schema)) {
      if (name in found && typeof value?.type === 'string') found[name]!.push(value.type)
      look(value)
    }
  }
  look(body)
  t.strictSame([...new Set(found.attempts)], ['integer'])
  t.strictSame([...new Set(found.attemptLog)], ['array'])
})

t.test('this server serves the reference page, which requests nothing from other servers', async t => {
  const { app } = await openApi(t)
  t.equal((await app.inject('/docs')).headers.location, '/docs/')
  const page = await app.inject('/docs/')
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-type'], /text\/html/)
  t.notMatch(page.body, /https?:\/\//)
  t.match(page.headers['content-security-policy'], /connect-src 'self'/)
  const script = await app.inject({ url: '/docs/js/scalar.js', headers: { 'accept-encoding': 'gzip' } })
  t.equal(script.statusCode, 200)
  t.equal(script.headers['content-encoding'], 'gzip')
  t.equal((await app.inject('/docs/openapi.json')).headers.location, '/openapi.json')
})

t.test("the client's document equals the served document", async t => {
  const { get } = await openApi(t)
  const kept = readFileSync(new URL('../../../packages/client/openapi.json', import.meta.url), 'utf8')
  t.strictSame(JSON.parse(kept), (await get('/openapi.json')).body, 'run `npm run openapi`')
})
