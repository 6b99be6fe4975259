import t from 'tap'
import { InFlight, type Place } from '../../src/endpoints/in-flight.js'
import type { Deferral, EndpointLimits } from '../../src/endpoints/permits.js'

// What still waits when the tests have ended is deferred, so that no timer is left.
let ended = 0
t.teardown(() => (ended = 10_000))

function open(limits: Partial<EndpointLimits> = {}) {
  let now = 1_000_000
  const inFlight = new InFlight(
    { maxInFlight: 8, maxPerSecond: 100_000, maxQueued: 256, ...limits },
    { now: () => now + ended, chance: () => 0 },
  )
  const enter = async (): Promise<Place> => {
    const place = await inFlight.enter()
    if ('kind' in place) throw new Error(`deferred: ${place.reason}`)
    inFlight.begin(place)
    return place
  }
  const enterMany = (count: number) => Promise.all(Array.from({ length: count }, enter))
  const answer = async (ms: number) => {
    const place = await enter()
    now += ms
    inFlight.leave(place, true)
  }
  /** What so many are told at once, without those that wait in memory. */
  const deferredOf = async (count: number): Promise<Deferral[]> => {
    const told: Deferral[] = []
    for (let n = 0; n < count; n++)
      void inFlight.enter().then(place => ('kind' in place ? told.push(place) : inFlight.leave(place, null)))
    await new Promise(resolve => setImmediate(resolve))
    return [...told]
  }
  return { inFlight, enter, enterMany, answer, deferredOf, pass: (ms: number) => (now += ms) }
}

t.test('an unknown endpoint is on probation until an answer; silence restores the probation', async t => {
  const { inFlight, enter, enterMany, deferredOf } = open()
  const first = await enterMany(4)
  const fifth = enter()
  inFlight.leave(first[0]!, true)
  await fifth
  await enterMany(4)
  t.pass('eight on the way')
  inFlight.leave(first[1]!, false)
  t.match(await deferredOf(300), [{ kind: 'defer', reason: 'in-flight cap' }], 'seven are more than four')
})

t.test('only as many wait in memory as the endpoint answers soon', async t => {
  const { inFlight, answer, enterMany, deferredOf } = open()
  const countDeferred = async () => {
    const places = await enterMany(8)
    const deferred = await deferredOf(300)
    for (const place of places) inFlight.leave(place, null)
    return deferred.length
  }
  for (let n = 0; n < 60; n++) await answer(2)
  t.equal(await countDeferred(), 300 - 256, 'of a fast one: as many as may wait at all')
  for (let n = 0; n < 60; n++) await answer(400)
  t.equal(await countDeferred(), 300 - 11, 'of a slow one: hardly any')
})

t.test('the time of a claim is no time of the endpoint', async t => {
  const { inFlight, enterMany, deferredOf, pass } = open()
  for (let n = 0; n < 60; n++) {
    const place = await inFlight.enter()
    if ('kind' in place) throw new Error(place.reason)
    pass(400)
    inFlight.begin(place)
    pass(2)
    inFlight.leave(place, true)
  }
  await enterMany(8)
  t.equal((await deferredOf(300)).length, 300 - 256)
})

t.test('what waits for an endpoint waits on while it answers, and not for ever', async t => {
  const { inFlight, answer, enter, pass } = open({ maxInFlight: 1 })
  await answer(2)
  const one = await enter()
  const [next, last] = [inFlight.enter(), inFlight.enter()]
  // By the clock of this test no time passes, by the timers of what waits more than PATIENCE_MS.
  await new Promise(resolve => setTimeout(resolve, 600))
  inFlight.leave(one, true)
  t.notOk('kind' in (await next))
  pass(3_000)
  t.match(await last, { kind: 'defer', reason: 'in-flight cap' })
})

t.test('what waits is deferred after a moment, and takes no slot for longer', async t => {
  const { inFlight, enterMany } = open()
  await enterMany(4)
  const waiting = [1, 2, 3].map(() => inFlight.enter())
  t.match(await Promise.all(waiting), Array(3).fill({ kind: 'defer', reason: 'in-flight cap' }))
  t.notOk(inFlight.isIdle)
})

t.test('a hanging endpoint is tried at growing intervals, before any request has ended', async t => {
  const { enterMany, deferredOf, pass } = open()
  await enterMany(4)
  const [first] = await deferredOf(20)
  pass(8_000)
  const later = (await deferredOf(20)).at(0)!
  t.ok(later.forMs >= 1_000 && later.forMs > first!.forMs, `${later.forMs} ms after ${first!.forMs} ms`)
})

t.test('however many a hang defers, they come back soon after it, one after another', async t => {
  const { enterMany, deferredOf, pass } = open()
  await enterMany(4)
  pass(9_000)
  const times = (await deferredOf(1_000)).map(({ forMs }) => forMs)
  t.ok(Math.min(...times) >= 1_000, `the first after ${Math.min(...times)} ms`)
  t.ok(Math.max(...times) <= 16_000, `the last after ${Math.max(...times)} ms`)
  t.equal(new Set(times).size, times.length)
})
