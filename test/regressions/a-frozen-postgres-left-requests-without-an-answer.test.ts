// A Postgres that was stopped (SIGSTOP), so that its connections are open and silent, left three routes without an
// answer after 70 seconds. Every operation of the OpenAPI document is tried, so that no new route is left out.
import { execFileSync } from 'node:child_process'
import { findFreePort } from '@payment-tracking/stack'
import {
  createDatabase,
  openPrivateServers,
  startService,
  waitFor,
  type TestContext,
  type TestDatabase,
} from '@payment-tracking/testkit'
import t from 'tap'
import { buildGatewayTokens } from '../../services/api/src/gateway-auth/gateway-tokens.js'
import { readSigningKeys } from '../../services/api/src/gateway-auth/signing-keys.js'
import { makeCheckoutKey } from '../../services/api/test/checkout/make-checkout-keys.js'
import { makeSigningKeys } from '../../services/api/test/gateway-auth/make-signing-keys.js'

const DEADLINE_MS = 2_000
const KEY = 'So11111111111111111111111111111111111111112'

/** Stops all processes of a Postgres and lets them go on: its connections stay open and say nothing meanwhile. */
async function openFreezer(t: TestContext, { pool }: TestDatabase) {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const readProcesses = () =>
    execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(line => line.trim().split(/\s+/).map(Number) as [number, number])
  const postmaster = readProcesses().find(([pid]) => pid === rows[0]!.pid)![1]
  const signal = (name: NodeJS.Signals) => {
    // The first is stopped first, so that it starts no other meanwhile.
    process.kill(postmaster, name)
    for (const [pid, parent] of readProcesses()) if (parent === postmaster) process.kill(pid, name)
  }
  t.teardown(() => signal('SIGCONT'))
  return { freeze: () => signal('SIGSTOP'), thaw: () => signal('SIGCONT') }
}

interface Operation {
  method: string
  path: string
  body: object | undefined
}

const PATH_PARAMETERS: Record<string, string> = {
  trackingId: 'x',
  eventName: 'PaymentRecord',
  kind: 'payments',
  signature: '1'.repeat(64),
  id: '1',
  deliveryId: '1',
}
const QUERIES: Record<string, string> = {
  '/v1/payments/check': `?trackingId=x&amount=1&recipient=${KEY}&tokenMint=${KEY}`,
  '/v1/subscriptions': `?recipient=${KEY}`,
  '/v1/payment-policies': '',
  '/v1/webhooks/deliveries': '?trackingId=x',
}
const BODIES: Record<string, object> = {
  'post /v1/gateway/{gateway}/auth/verify': { signer: KEY, signature: '1'.repeat(64) },
  'post /v1/tokens/issue': { recipient: KEY, trackingId: 'x' },
  'post /v1/webhooks': { gateway_pubkey: KEY, endpoint_url: 'https://shop.example/' },
  'put /v1/webhooks/{id}': { active: false },
  'post /v1/webhooks/{id}/redeliver': { since: '2026-01-01' },
  'post /v1/webhooks/{id}/replay-missing': { since: new Date(Date.now() - 3_600_000).toISOString() },
}

/** A valid request for each operation of the document. */
function listOperations(document: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.keys(methods).map(method => ({
      method: method.toUpperCase(),
      path:
        template.replaceAll(/\{(\w+)\}/g, (_, name: string) => PATH_PARAMETERS[name] ?? KEY) +
        (QUERIES[template] ?? ''),
      body: method === 'get' ? undefined : BODIES[`${method} ${template}`],
    })),
  )
}

t.test('with a frozen Postgres every request has an end', { timeout: 120_000 }, async t => {
  const servers = await openPrivateServers(t)
  const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
  const freezer = await openFreezer(t, database)
  const port = await findFreePort()
  const keys = makeSigningKeys()
  const tokens = buildGatewayTokens(await readSigningKeys(keys), 'production')
  const authorization = `Bearer ${await tokens.issue({ gateway: KEY, signer: KEY, since: '' })}`
  const api = await startService(t, 'api', {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    JWT_PRIVATE_KEYS: keys,
    CHECKOUT_TOKEN_KEYS: JSON.stringify({ keys: [makeCheckoutKey()] }),
    PORT: String(port),
    'api.requestDeadlineMs': String(DEADLINE_MS),
    'api.statementTimeoutMs': '500',
    // All requests come at once and from one address.
    'api.requestsAtOncePerAddress': '1000',
  })
  const ask = async ({ method, path, body }: Operation) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text }
  }
  const get = (path: string) => ask({ method: 'GET', path, body: undefined })
  const operations = listOperations(JSON.parse((await get('/openapi.json')).text))
  t.ok(operations.length > 50, `${operations.length} operations`)
  for (const operation of operations) {
    t.ok((await ask(operation)).status < 500, `${operation.method} ${operation.path} before`)
  }
  freezer.freeze()
  const answers = await Promise.all(
    operations.map(async operation => ({
      name: `${operation.method} ${operation.path}`,
      ...(await ask(operation)),
    })),
  )
  let unavailable = 0
  for (const { name, status, text } of answers) {
    if (status !== 503) continue
    unavailable++
    t.match(JSON.parse(text), { success: false, code: /^STORE_(TIMEOUT|UNAVAILABLE)$/ }, name)
  }
  t.ok(unavailable > 40, `${unavailable} of them need Postgres`)
  freezer.thaw()
  await waitFor(async () => (await get('/v1/events')).status === 200, {
    what: 'reads go on by themselves',
    timeoutMs: 20_000,
  })
  for (const operation of operations) t.ok((await ask(operation)).status < 500, `${operation.path} again`)
  t.equal(await api.stop(), 0)
})
