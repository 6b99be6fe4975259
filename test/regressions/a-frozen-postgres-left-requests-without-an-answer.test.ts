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
import { readOperations } from '../access/description.js'
import { REQUESTS, type Target } from '../access/requests.js'

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

const NOBODY: Target = {
  address: KEY,
  policy: KEY,
  signature: '1'.repeat(64),
  trackingId: 'x',
  expectationId: '00000000-0000-4000-8000-000000000000',
  webhookId: 1,
  deliveryId: 1,
  keyId: 1,
  sessionId: 1,
}
/** A valid request for each operation of the document. */
const operations = readOperations().map(({ id, method }) => ({ method, ...REQUESTS[id]!(NOBODY) }))

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
  const ask = async ({ method, path, body }: { method: string; path: string; body?: unknown }) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text }
  }
  const get = (path: string) => ask({ method: 'GET', path })
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
