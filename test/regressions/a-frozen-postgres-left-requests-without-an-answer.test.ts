// A Postgres that was stopped (SIGSTOP), so that its connections are open and silent, left three routes without an
// answer after 70 seconds.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { findFreePort } from '@payment-tracking/stack'
import { createDatabase, startService, useRedis, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { makeSigningKeys } from '../../services/api/test/gateway-auth/make-signing-keys.js'

const DEADLINE_MS = 2_000
const KEY = 'So11111111111111111111111111111111111111112'

/** Stands before Postgres, and freezes: what is sent is taken and never answered, as by processes that are stopped. */
async function openFreezer(t: TestContext, url: string) {
  const target = new URL(url)
  const [port, host] = [Number(target.port), target.hostname]
  const pairs = new Set<Socket>()
  let isFrozen = false
  const server = createServer(client => {
    const postgres = connect(port, host)
    for (const socket of [client, postgres]) {
      pairs.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => pairs.delete(socket))
      if (isFrozen) socket.pause()
    }
    client.pipe(postgres).pipe(client)
    if (isFrozen) postgres.pause()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of pairs) socket.destroy()
    server.close()
  })
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    freeze: () => {
      isFrozen = true
      for (const socket of pairs) socket.pause()
    },
    thaw: () => {
      isFrozen = false
      for (const socket of pairs) socket.resume()
    },
  }
}

t.test('with a frozen Postgres every request has an end', { timeout: 120_000 }, async t => {
  const database = await createDatabase(t)
  const freezer = await openFreezer(t, database.url)
  const port = await findFreePort()
  const api = await startService(t, 'api', {
    DATABASE_URL: freezer.url,
    REDIS_URL: (await useRedis(t)).url,
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
