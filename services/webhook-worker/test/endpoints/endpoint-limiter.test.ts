import t from 'tap'
import type { Slot } from '@payment-tracking/redis'
import { buildEndpointLimiter } from '../../src/endpoints/endpoint-limiter.js'
import type { EndpointLimiter, EndpointLimits, Permit } from '../../src/endpoints/permits.js'

const SLOT: Slot = { free: true, inMs: 0 }

// What still waits when the tests have ended is deferred, so that no timer is left.
let ended = 0
t.teardown(() => (ended = 10_000))

/** @param slots of a chosen rate; without, none was chosen @param found what a recall finds */
function open(limits: Partial<EndpointLimits> = {}, slots?: Slot[], found = 1_000) {
  let now = 1_000_000
  const asked: number[] = []
  const recalled: number[] = []
  const limiter = buildEndpointLimiter(
    { maxInFlight: 8, maxPerSecond: 1_000, maxQueued: 256, ...limits },
    { now: () => now + ended, chance: () => 0 },
    {
      take: ({ perSecond }) => {
        asked.push(perSecond)
        return Promise.resolve(slots!.shift()!)
      },
      pause: () => (slots ? Promise.resolve() : Promise.reject(new Error('no rate is paused'))),
    },
    () => Promise.resolve(slots ? 5 : null),
    (_, most) => {
      recalled.push(most)
      return Promise.resolve(found)
    },
  )
  return { limiter, asked, recalled, pass: (ms: number) => (now += ms) }
}

const go = async (limiter: EndpointLimiter, id: string, isForced = false): Promise<Permit> => {
  const entry = await limiter.enter(id, isForced)
  if (entry.kind === 'defer') throw new Error(`deferred: ${entry.reason}`)
  return entry
}
/** Ten requests without an answer. */
const openBreaker = async (limiter: EndpointLimiter, id: string) => {
  for (let n = 0; n < 10; n++) (await go(limiter, id)).leave(false)
}

t.test('what an open breaker defers comes again one after another, however much that is', async t => {
  const { limiter, pass } = open()
  await openBreaker(limiter, 'bad')
  const entries = await Promise.all(Array.from({ length: 10_000 }, () => limiter.enter('bad')))
  const deferrals = entries.map(entry => (entry.kind === 'defer' ? entry.forMs : 0))
  t.equal(deferrals[0], 60_000, 'one is there when the cool-down ends')
  t.equal(new Set(deferrals.map(ms => Math.floor(ms / 1_000))).size, 100, '100 a second')
  pass(60_000)
  ;(await go(limiter, 'bad')).leave(true)
  t.equal((await limiter.enter('bad')).kind, 'go', 'what just happened waits for none of them')
})

t.test('what waits for a place when the breaker opens is deferred by it', async t => {
  const { limiter } = open()
  const four = await Promise.all([1, 2, 3, 4].map(() => go(limiter, 'a')))
  const waiting = limiter.enter('a')
  for (let n = 0; n < 10; n++) (await go(limiter, 'a', true)).leave(false)
  for (const each of four) each.leave(null)
  t.match(await waiting, { kind: 'defer', reason: 'breaker open' })
})

t.test('a permit that is left twice counts once', async t => {
  const { limiter, pass } = open({ maxInFlight: 1 })
  const one = await go(limiter, 'a')
  one.leave(true)
  one.leave(null)
  await go(limiter, 'a')
  const second = limiter.enter('a')
  pass(3_000)
  t.match(await second, { kind: 'defer', reason: 'in-flight cap' })
})

t.test('a forced delivery passes the breaker and the caps, and keeps to a chosen rate', async t => {
  const { limiter } = open({ maxInFlight: 1 })
  await openBreaker(limiter, 'bad')
  await go(limiter, 'bad', true)
  await go(limiter, 'bad', true)
  const rated = open({}, [{ free: false, inMs: 300 }]).limiter
  t.strictSame(await rated.enter('a', true), { kind: 'defer', forMs: 300, reason: 'rate cap' })
})

t.test('what an open breaker defers takes no slot of the chosen rate', async t => {
  const { limiter, asked } = open({}, Array<Slot>(10).fill(SLOT))
  await openBreaker(limiter, 'a')
  t.match(await limiter.enter('a'), { kind: 'defer', reason: 'breaker open' })
  t.equal(asked.length, 10)
})

t.test('a probe that finds no slot lets another one ask', async t => {
  const none: Slot = { free: false, inMs: 300 }
  const { limiter, pass } = open({}, [...Array<Slot>(10).fill(SLOT), none, SLOT])
  await openBreaker(limiter, 'a')
  pass(60_000)
  t.match(await limiter.enter('a'), { kind: 'defer', reason: 'rate cap' })
  t.equal((await limiter.enter('a')).kind, 'go')
})

t.test('while an endpoint asks for patience, one delivery asks and the others wait', async t => {
  const { limiter, pass } = open({}, Array<Slot>(20).fill(SLOT))
  const deferralOf = async () => {
    const entry = await limiter.enter('a')
    if (entry.kind === 'go') throw new Error('another one asks')
    t.equal(entry.reason, 'rate cap')
    return entry.forMs
  }
  const pauseBy = async (asking: Permit, forMs: number) => {
    await asking.pause({ kind: 'defer', forMs, reason: 'rate cap' })
    asking.leave(null)
    const [first, second] = [await deferralOf(), await deferralOf()]
    t.ok(first >= forMs && second > first, `they come back after ${first} and ${second} ms`)
    pass(forMs)
  }
  await pauseBy(await go(limiter, 'a'), 30_000)
  const probe = await go(limiter, 'a')
  t.ok((await deferralOf()) > 0, 'the others wait for its answer')
  await pauseBy(probe, 60_000)
  ;(await go(limiter, 'a')).leave(true)
  t.equal((await limiter.enter('a')).kind, 'go')
})

t.test('a way out that is closed pauses no rate, and is no failure of the endpoint', async t => {
  const { limiter, pass } = open()
  const one = await go(limiter, 'a')
  await one.pause({ kind: 'defer', forMs: 5_000, reason: 'proxy away' })
  one.leave(null)
  t.match(await limiter.enter('a'), { kind: 'defer', reason: 'proxy away' })
  pass(5_000)
  ;(await go(limiter, 'a')).leave(true)
  await openBreaker(limiter, 'a')
  t.match(await limiter.enter('a'), { reason: 'breaker open' }, 'later failures have their own name')
})

t.test('an endpoint without recent requests is forgotten', async t => {
  const { limiter, pass } = open()
  await openBreaker(limiter, 'a')
  pass(900_001)
  limiter.forgetIdle()
  t.equal((await limiter.enter('a')).kind, 'go')
})

t.test('an answer recalls what was deferred, as many as there is room for', async t => {
  const { limiter, recalled, pass } = open({ maxInFlight: 2, maxQueued: 3 })
  const [first, second] = await Promise.all([go(limiter, 'slow'), go(limiter, 'slow')])
  const waiting = [1, 2, 3, 4].map(() => limiter.enter('slow'))
  t.match(await waiting[3], { kind: 'defer', reason: 'in-flight cap' })
  second.leave(true)
  t.strictSame(recalled, [], 'others wait for the place')
  for (const each of waiting.slice(0, 3)) {
    const entry = await each
    if (entry.kind === 'go') entry.leave(true)
  }
  t.equal(recalled.length, 1, 'then it is theirs')
  t.ok(recalled[0]! >= 1 && recalled[0]! <= 3)
  first.leave(true)
  t.equal(recalled.length, 1, 'and again after a moment')
  pass(100)
  ;(await go(limiter, 'slow')).leave(true)
  t.equal(recalled.length, 2)
  pass(60_000)
  ;(await go(limiter, 'slow')).leave(true)
  t.equal(recalled.length, 2, 'by now all have come by themselves')
})

t.test('nothing is recalled that waits for a rate or a breaker, or when nothing was left', async t => {
  const paced = open({ maxPerSecond: 1 })
  ;(await go(paced.limiter, 'a')).leave(true)
  t.match(await paced.limiter.enter('a'), { reason: 'rate cap' })
  paced.pass(1_000)
  ;(await go(paced.limiter, 'a')).leave(true)
  t.strictSame(paced.recalled, [])
  const silent = open()
  await openBreaker(silent.limiter, 'bad')
  for (const _ of [1, 2]) t.match(await silent.limiter.enter('bad'), { reason: 'breaker open' })
  silent.pass(60_000)
  ;(await go(silent.limiter, 'bad')).leave(true)
  t.strictSame(silent.recalled, [], 'an endpoint that is back is not run over')
  const { limiter, recalled, pass } = open({ maxInFlight: 1, maxQueued: 1 }, undefined, 0)
  const first = await go(limiter, 'full')
  const second = limiter.enter('full')
  t.match(await limiter.enter('full'), { reason: 'in-flight cap' })
  first.leave(true)
  const entry = await second
  if (entry.kind === 'go') entry.leave(true)
  t.equal(recalled.length, 1)
  await Promise.resolve()
  pass(100)
  ;(await go(limiter, 'full')).leave(true)
  t.equal(recalled.length, 1, 'the first found nothing')
})
