import { useRedis, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { openRedis, pauseRate, takeSlots } from '../src/index.js'

async function open(t: TestContext, times = 1) {
  const server = await useRedis(t)
  const connections = Array.from({ length: times }, () =>
    openRedis({ REDIS_URL: server.url, ENVIRONMENT: 'test' }),
  )
  t.teardown(() => Promise.all(connections.map(each => each.close())))
  for (const each of connections) await waitFor(() => each.ping().then(() => true), { what: 'Redis' })
  return { server, connections }
}
const times = (count: number, id: string, perSecond: number) =>
  Array.from({ length: count }, () => ({ id, perSecond }))

t.test('slots are as far apart as the rate says, over all callers', async t => {
  const { connections } = await open(t, 2)
  const startedMs = performance.now()
  const calls = await Promise.all(
    Array.from({ length: 10 }, (_, n) => takeSlots(connections[n % 2]!, times(10, 'a', 100))),
  )
  const slots = calls.flat()
  const free = slots.filter(slot => slot.free).map(({ inMs }) => inMs)
  // Those of the 100 ms before, of the next 50, and of the time that this test took.
  const most = (100 + 50 + performance.now() - startedMs) / 10 + 1
  t.ok(free.length >= 15 && free.length <= most, `${free.length} slots, at most ${most}`)
  const back = slots.filter(slot => !slot.free).map(({ inMs }) => inMs)
  t.ok(Math.max(...back) - Math.min(...back) >= (back.length - 1) * 10 - 60, 'others come back at the rate')
  t.match(await takeSlots(connections[0]!, times(1, 'b', 1)), [{ free: true, inMs: 0 }], 'no wait: new id')
})

t.test('one a second means one a second, and two wait at most', async t => {
  const { connections } = await open(t)
  const slots = await takeSlots(connections[0]!, times(6, 'a', 1))
  const given = slots.map(({ free }) => free)
  t.strictSame(given, [true, true, true, false, false, false])
  const [first, second, third, ...back] = slots.map(({ inMs }) => inMs)
  t.equal(first, 0)
  t.ok(second! > 850 && second! <= 1_000 && third! - second! >= 999, `then ${second} and ${third} ms`)
  t.ok(back[1]! - back[0]! >= 999 && back[2]! - back[1]! >= 999, `back after ${back.join(', ')} ms`)
})

t.test('a long queue comes back at its rate for five minutes, then at 100 a second', async t => {
  const { connections } = await open(t)
  const slots = await takeSlots(connections[0]!, times(2_000, 'a', 1))
  const last = slots.at(-1)!.inMs
  t.ok(last > 300_000 && last < 330_000, `the last after ${last} ms`)
})

t.test('a rate that is raised, and a clock that went back, hold nobody up', async t => {
  const { server, connections } = await open(t)
  await takeSlots(connections[0]!, times(4, 'a', 1))
  const [raised] = await takeSlots(connections[0]!, times(1, 'a', 1_000))
  t.ok(raised!.inMs <= 51, 'the slots of before are no longer owed')
  const [key] = await server.client.keys('*:rate:a')
  await server.client.hset(key!, 'next', Date.now() + 86_400_000)
  const [later] = await takeSlots(connections[0]!, times(1, 'a', 10))
  t.ok(later!.inMs <= 300, `${later!.inMs} ms`)
})

t.test('a pause holds for all callers, and afterwards each slot is given out when it is there', async t => {
  const { connections } = await open(t, 2)
  const [one, other] = connections as [(typeof connections)[0], (typeof connections)[0]]
  await takeSlots(one, times(3, 'a', 4))
  await pauseRate(one, 'a', 1_000)
  const pausedAtMs = performance.now()
  await pauseRate(other, 'a', 10)
  const held = await takeSlots(other, times(3, 'a', 4))
  const whilePaused = held.map(({ free }) => free)
  t.strictSame(whilePaused, [false, false, false])
  const [first, second, third] = held.map(({ inMs }) => inMs)
  t.ok(first! > 500 && first! <= 1_000, `the first asks again after ${first} ms: shorter pauses end nothing`)
  t.ok(second! - first! >= 249 && third! - second! >= 249, 'and the others one after another')
  const ask = () => takeSlots(other, times(3, 'a', 4))
  const slots = await waitFor(async () => (await ask()).filter(({ free }) => free)[0] && (await ask()), {
    what: 'the end of the pause',
  })
  t.ok(performance.now() - pausedAtMs >= 900)
  const afterwards = slots.map(({ free }) => free)
  t.strictSame(afterwards, [false, false, false], 'none was given out ahead')
  t.match(await takeSlots(one, times(1, 'b', 1)), [{ free: true, inMs: 0 }], 'another rate is not paused')
})

t.test('what owes nothing keeps no key', async t => {
  const { server, connections } = await open(t)
  await takeSlots(connections[0]!, [...times(1, 'a', 1), ...times(1, 'b', 1)])
  t.equal((await server.client.keys('*:rate:*')).length, 2)
  await waitFor(async () => (await server.client.keys('*:rate:*')).length === 0, { what: 'no key' })
})

t.test('without Redis no slot is taken', async t => {
  const redis = openRedis({ REDIS_URL: 'redis://127.0.0.1:1', ENVIRONMENT: 'test' })
  t.teardown(() => redis.close())
  await t.rejects(takeSlots(redis, times(1, 'a', 1)), { code: 'SIGNAL_UNAVAILABLE' })
})
