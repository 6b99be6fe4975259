// A Postgres that was stopped (SIGSTOP), so that its connections are open and silent, left three routes without an
// answer after 70 seconds.
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

t.test('with a frozen Postgres every request has an end', { timeout: 120_000 }, async t => {
  const servers = await openPrivateServers(t)
  const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
  const freezer = await openFreezer(t, database)
  const port = await findFreePort()
  const api = await startService(t, 'api', {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    JWT_PRIVATE_KEYS: makeSigningKeys(),
    PORT: String(port),
    REQUEST_DEADLINE_MS: String(DEADLINE_MS),
    STATEMENT_TIMEOUT_MS: '500',
  })
  const ask = async (method: string, path: string) => {
    const startedAt = Date.now()
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    const body = (await answer.json()) as { code?: string }
    return { status: answer.status, code: body.code, afterMs: Date.now() - startedAt }
  }
  const paths: [string, string][] = [
    ['GET', '/v1/events'],
    ['GET', '/v1/events/names'],
    ['GET', '/v1/events/count'],
    ['GET', '/v1/events/payments/stats'],
    ['GET', '/v1/events/payments'],
    ['GET', '/v1/subscriptions?trackingId=x'],
    ['GET', `/v1/subscriptions?recipient=${KEY}`],
    ['GET', '/v1/onetime/x'],
    ['GET', `/v1/payments/${'1'.repeat(64)}/trace`],
    ['POST', `/v1/gateway/${KEY}/auth/challenge`],
  ]
  for (const [method, path] of paths) t.not((await ask(method, path)).status, 503, `${path} before`)
  freezer.freeze()
  const answers = await Promise.all(
    paths.map(async ([method, path]) => ({ path, ...(await ask(method, path)) })),
  )
  for (const { path, status, code, afterMs } of answers) {
    t.equal(status, 503, path)
    t.match(code, /^STORE_(TIMEOUT|UNAVAILABLE)$/, path)
    t.ok(afterMs < DEADLINE_MS + 5_000, `${path} after ${afterMs} ms`)
  }
  freezer.thaw()
  await waitFor(async () => (await ask('GET', '/v1/events')).status === 200, {
    what: 'reads go on by themselves',
    timeoutMs: 20_000,
  })
  for (const [method, path] of paths) t.not((await ask(method, path)).status, 503, `${path} again`)
  t.equal(await api.stop(), 0)
})
