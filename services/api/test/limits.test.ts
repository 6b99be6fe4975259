import { createLogger } from '@payment-tracking/runtime'
import { openRedis } from '@payment-tracking/redis'
import { useRedis, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openSharedCounts } from '../src/limits/shared-counts.js'
import { KeyedSemaphore } from '../src/limits/keyed-semaphore.js'
import { openApi } from './open-api.js'

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'test' })

t.test('a client over its limit learns when to come back, and health continues', async t => {
  const { app } = await openApi(t, { RATE_LIMIT_MAX: '3' })
  const ask = (url: string) => app.inject({ url })
  for (const remaining of ['2', '1', '0']) {
    const { statusCode, headers } = await ask('/v1/events/names')
    t.equal(statusCode, 200)
    t.match(headers, { 'ratelimit-limit': '3', 'ratelimit-remaining': remaining, 'ratelimit-reset': /^\d+$/ })
  }
  const refused = await ask('/v1/events/names')
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { success: false, error: String, code: 'RATE_LIMITED', requestId: String })
  t.match(refused.headers, { 'retry-after': /^\d+$/, 'ratelimit-remaining': '0' })
  t.equal((await ask('/nowhere')).statusCode, 429, 'what is not there counts too')
  t.equal((await ask('/v1/health')).statusCode, 200)
})

// What counts of a header for every setting: packages/runtime/test/client-address.test.ts.
t.test('the client address of a proxy counts only when the proxy is trusted', async t => {
  const remainingAfter = async (settings: Record<string, string>, ...forwarded: string[]) => {
    const { app } = await openApi(t, { RATE_LIMIT_MAX: '10', ...settings })
    const remaining = []
    for (const each of forwarded) {
      const { headers } = await app.inject({ url: '/v1/events/names', headers: { 'x-forwarded-for': each } })
      remaining.push(headers['ratelimit-remaining'])
    }
    return remaining.join()
  }
  t.equal(await remainingAfter({}, '203.0.113.7', '203.0.113.8'), '9,8', 'the same client')
  const proxied = ['203.0.113.7', '6.6.6.6, 203.0.113.7', '203.0.113.8']
  const networks = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1']
  t.equal(await remainingAfter({ TRUST_PROXY: 'on' }, ...proxied, ...networks), '9,8,9,9,8,9')
  const ports = ['203.0.113.7:5000', '203.0.113.7:5001', '[2001:db8:1:2::1]:5000', '[2001:db8:1:2::2]']
  t.equal(await remainingAfter({ TRUST_PROXY: 'on' }, ...ports), '9,8,9,8', 'a port makes no other client')
  const hops = ['203.0.113.7:1, 10.0.0.9:5000', '203.0.113.7:2, 10.0.0.9:5001']
  t.equal(await remainingAfter({ TRUST_PROXY: '127.0.0.1,10.0.0.0/8' }, ...hops), '9,8')
})

t.test('processes share the count about every second, without a round trip per request', async t => {
  const { url } = await useRedis(t)
  const nowMs = () => 1_000_000
  const processes = [0, 1].map(() => {
    const redis = openRedis({ REDIS_URL: url })
    const counts = openSharedCounts({ redis, log, windowMs: 60_000, nowMs })
    t.teardown(() => {
      counts.close()
      return redis.close()
    })
    const count = () =>
      new Promise<number>((resolve, reject) =>
        counts.incr('client', (error, result) => (error ? reject(error) : resolve(result!.current)), 60_000),
      )
    return { redis, counts, count }
  })
  const [one, two] = processes as [(typeof processes)[0], (typeof processes)[0]]
  await waitFor(() => processes.every(({ redis }) => redis.commands.status === 'ready'))
  t.equal(await one.count(), 1)
  t.equal(await one.count(), 2)
  t.equal(await two.count(), 1, 'nothing is asked of Redis by a request')
  await one.counts.exchange()
  await two.counts.exchange()
  t.equal(await two.count(), 4, '2 of the other, 2 of its own')
  t.equal(await one.count(), 3, 'knows of the other after its next exchange')
  await two.counts.exchange()
  await one.counts.exchange()
  t.equal(await one.count(), 6)
})

t.test('without Redis each process counts for itself', async t => {
  const redis = openRedis({ REDIS_URL: 'redis://127.0.0.1:1' })
  const counts = openSharedCounts({ redis, log, windowMs: 60_000 })
  t.teardown(() => {
    counts.close()
    return redis.close()
  })
  const count = () =>
    new Promise(resolve => counts.incr('client', (_error, result) => resolve(result?.current), 60_000))
  await count()
  await counts.exchange()
  t.equal(await count(), 2)
})

t.test('works of a key run in order, and keys take turns', async t => {
  const slots = new KeyedSemaphore({ ofKey: 2, ofAll: 3 })
  const { signal } = new AbortController()
  const begun: string[] = []
  const enter = async (name: string, of = signal) => {
    const leave = await slots.enter(name[0]!, of)
    begun.push(name)
    return leave
  }
  const [a1, , b1] = ['a1', 'a2', 'b1'].map(name => enter(name))
  const leaving = new AbortController()
  const gone = enter('a0', leaving.signal)
  for (const name of ['a3', 'a4', 'a5', 'b2', 'c1']) void enter(name)
  leaving.abort(new Error('gone'))
  await t.rejects(gone, { message: 'gone' })
  t.same(begun, ['a1', 'a2', 'b1'], 'two of a key, three of all')
  const free = async (leave: Promise<() => void> | undefined) => {
    const end = await leave!
    end()
    end()
    await new Promise(setImmediate)
  }
  await free(b1)
  t.same(begun.slice(3), ['b2'], 'a has its two')
  await free(a1)
  t.same(begun.slice(4), ['c1'], 'c waited, and comes before the next of a')
  const alone = new KeyedSemaphore({ ofKey: 1 })
  const failing = alone.run('a', signal, () => Promise.reject(new Error('fails')))
  const after = alone.run('a', signal, () => Promise.resolve('after'))
  await t.rejects(failing, { message: 'fails' })
  t.equal(await after, 'after', 'a work that fails ends its turn')
  t.equal(alone.size, 0)
})
