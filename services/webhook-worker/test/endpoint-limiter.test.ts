import t from 'tap'
import { buildEndpointLimiter } from '../src/endpoints/endpoint-limiter.js'
import type { ChosenRates } from '../src/endpoints/chosen-rates.js'
import type { EndpointLimits, Permit } from '../src/endpoints/permits.js'

/** No rate was chosen. */
const NO_RATES: ChosenRates = {
  take: () => Promise.reject(new Error('no slot is asked for')),
  pause: () => Promise.reject(new Error('no rate is paused')),
}

function openLimiter(limits: Partial<EndpointLimits> = {}, rates = NO_RATES) {
  let now = 1_000_000
  const limiter = buildEndpointLimiter(
    { maxInFlight: 8, maxPerSecond: 1_000, maxQueued: 256, beginWithinMs: 500, ...limits },
    { now: () => now, chance: () => 0 },
    rates,
  )
  return { limiter, pass: (ms: number) => (now += ms) }
}

type Limiter = ReturnType<typeof openLimiter>['limiter']

const goClaimed = async (limiter: Limiter, id: string): Promise<Permit> => {
  const entry = await limiter.enter(id)
  if (entry.kind !== 'go') throw new Error(`deferred: ${entry.reason}`)
  return entry
}

/** A request in flight. */
const go = async (limiter: Limiter, id: string): Promise<Permit> => {
  const entry = await goClaimed(limiter, id)
  const deferral = await entry.acquire(null)
  if (deferral) throw new Error(`deferred: ${deferral.reason}`)
  return entry
}

t.test('an unknown endpoint is on probation until an answer; silence restores the probation', async t => {
  const { limiter } = openLimiter()
  const first = await Promise.all([1, 2, 3, 4].map(() => go(limiter, 'a')))
  const fifth = limiter.enter('a')
  first[0]!.leave(true)
  t.equal((await fifth).kind, 'go', 'the queue moves up when a request ends')
  const more = await Promise.all([1, 2, 3, 4].map(() => go(limiter, 'a')))
  t.equal(more.length, 4, 'eight on the way')
  first[1]!.leave(false)
  t.match(await limiter.enter('a'), { kind: 'defer', reason: 'in-flight cap' }, 'seven are more than four')
})

t.test('the queue in memory holds only as many deliveries as the endpoint will answer soon', async t => {
  const { limiter, pass } = openLimiter({ maxPerSecond: 100_000 })
  const answer = async (ms: number) => {
    const one = await go(limiter, 'a')
    pass(ms)
    one.leave(true)
  }
  const countDeferred = async () => {
    const permits = await Promise.all(Array.from({ length: 8 }, () => go(limiter, 'a')))
    const entries = Array.from({ length: 300 }, () => limiter.enter('a'))
    let deferred = 0
    for (const entry of entries) void entry.then(({ kind }) => (deferred += Number(kind === 'defer')))
    await Promise.resolve()
    const deferredAtOnce = deferred
    // Each permit that is left admits the next delivery.
    for (const one of permits) one.leave(null)
    for (const entry of entries) {
      const turn = await entry
      if (turn.kind === 'go') turn.leave(null)
    }
    return deferredAtOnce
  }
  for (let n = 0; n < 60; n++) await answer(2)
  t.equal(
    await countDeferred(),
    300 - 256 - 8,
    'a fast one: every slot, and as many claims as can end at once',
  )
  for (let n = 0; n < 60; n++) await answer(400)
  t.equal(await countDeferred(), 292, 'a slow one: hardly any')
})

t.test('an endpoint at its cap does not delay another endpoint', async t => {
  const { limiter } = openLimiter()
  await Promise.all([1, 2, 3, 4].map(() => go(limiter, 'hung')))
  const queued = [1, 2, 3, 4, 5].map(() => limiter.enter('hung'))
  t.match(await limiter.enter('hung'), { kind: 'defer', reason: 'in-flight cap' }, 'the queue is full')
  t.equal((await limiter.enter('healthy')).kind, 'go')
  t.match(
    await Promise.all(queued),
    Array(5).fill({ kind: 'defer' }),
    'those in the queue wait no longer than PATIENCE_MS',
  )
})

t.test('a hanging endpoint is tried at growing intervals, before any request has ended', async t => {
  const { limiter, pass } = openLimiter()
  await Promise.all([1, 2, 3, 4].map(() => go(limiter, 'hung')))
  const deferredFor = async () => {
    const queued: Promise<unknown>[] = []
    for (;;) {
      const entry = limiter.enter('hung')
      const now = await Promise.race([entry, Promise.resolve(null)])
      if (now === null) queued.push(entry)
      else if (now.kind === 'defer')
        return { queued: queued.length, forMs: now.forMs, all: Promise.all(queued) }
      else throw new Error('a fifth request')
    }
  }
  const first = await deferredFor()
  t.equal(first.queued, 5)
  await first.all
  pass(8_000)
  const later = await deferredFor()
  t.equal(later.queued, 1)
  await later.all
  t.ok(later.forMs >= 1_000, `${later.forMs} ms after ${first.forMs} ms`)
})

t.test('however many a hang defers, they come back soon after it', async t => {
  const { limiter, pass } = openLimiter()
  await Promise.all([1, 2, 3, 4].map(() => go(limiter, 'hung')))
  pass(9_000)
  const entries = await Promise.all(Array.from({ length: 1_000 }, () => limiter.enter('hung')))
  const deferrals = entries.map(entry => (entry.kind === 'defer' ? entry.forMs : 0))
  t.ok(Math.min(...deferrals) >= 1_000, `the first after ${Math.min(...deferrals)} ms`)
  t.ok(Math.max(...deferrals) <= 16_000, `the last of 1,000 after ${Math.max(...deferrals)} ms`)
})

t.test('an endpoint that mostly fails is deferred until its cool-down ends, then probed by one', async t => {
  const { limiter, pass } = openLimiter()
  for (let n = 0; n < 10; n++) (await go(limiter, 'bad')).leave(false)
  t.match(await limiter.enter('bad'), { kind: 'defer', reason: 'breaker open', forMs: 60_000 })
  t.equal(limiter.countOpen(), 1)
  pass(60_000)
  const probe = await go(limiter, 'bad')
  t.match(await limiter.enter('bad'), { kind: 'defer', reason: 'breaker open' })
  probe.leave(null)
  const again = await go(limiter, 'bad')
  again.leave(true)
  t.equal((await limiter.enter('bad')).kind, 'go')
  t.equal(limiter.countOpen(), 0)
})

t.test('what an open breaker defers comes again one after another, however much that is', async t => {
  const { limiter, pass } = openLimiter()
  for (let n = 0; n < 10; n++) (await go(limiter, 'bad')).leave(false)
  const entries = await Promise.all(Array.from({ length: 10_000 }, () => limiter.enter('bad')))
  const deferrals = entries.map(entry => (entry.kind === 'defer' ? entry.forMs : 0))
  t.equal(deferrals[0], 60_000, 'one is there when the cool-down ends')
  t.equal(new Set(deferrals.map(ms => Math.floor(ms / 1_000))).size, 100, '100 a second')
  pass(60_000)
  const probe = await go(limiter, 'bad')
  probe.leave(true)
  t.equal((await limiter.enter('bad')).kind, 'go', 'what just happened waits for none of them')
})

t.test('a permit that is left twice counts once', async t => {
  const { limiter, pass } = openLimiter({ maxInFlight: 1 })
  const one = await go(limiter, 'a')
  one.leave(true)
  one.leave(null)
  await go(limiter, 'a')
  const more = [limiter.enter('a'), limiter.enter('a'), limiter.enter('a')]
  pass(250)
  t.match(
    await Promise.all(more),
    [{ kind: 'go' }, { kind: 'defer' }, { kind: 'defer' }],
    'one is claimed ahead',
  )
})

t.test('what waits for an endpoint waits on while it answers', async t => {
  const { limiter } = openLimiter({ maxInFlight: 1 })
  ;(await go(limiter, 'a')).leave(true)
  const one = await go(limiter, 'a')
  const waiting = limiter.enter('a')
  // By the clock of this test no time passes, by the timers of the queue more than PATIENCE_MS.
  await new Promise(resolve => setTimeout(resolve, 600))
  one.leave(true)
  t.equal((await waiting).kind, 'go')
})

t.test('what waits for an endpoint that answers is held at last', async t => {
  const { limiter, pass } = openLimiter({ maxInFlight: 1 })
  ;(await go(limiter, 'a')).leave(true)
  const one = await go(limiter, 'a')
  const [next, last] = [limiter.enter('a'), limiter.enter('a')]
  pass(3_000)
  one.leave(true)
  t.equal((await next).kind, 'go')
  t.match(await last, { kind: 'defer', reason: 'in-flight cap' })
})

t.test('the rate cap lets a burst of one second through and spaces the rest', async t => {
  const { limiter, pass } = openLimiter({ maxInFlight: 100, maxPerSecond: 10 })
  for (let n = 0; n < 10; n++) (await go(limiter, 'a')).leave(true)
  const [first, second] = [await limiter.enter('a'), await limiter.enter('a')]
  t.match(
    [first, second],
    [
      { kind: 'defer', reason: 'rate cap' },
      { kind: 'defer', reason: 'rate cap' },
    ],
  )
  t.ok((second as { forMs: number }).forMs > (first as { forMs: number }).forMs, 'one after another')
  pass(100)
  t.equal((await limiter.enter('a')).kind, 'go')
})

t.test('a forced delivery passes an open breaker', async t => {
  const { limiter } = openLimiter()
  for (let n = 0; n < 10; n++) (await go(limiter, 'bad')).leave(false)
  t.equal(limiter.force('bad').kind, 'go')
})

t.test('a permit that waited for too long does not begin', async t => {
  const { limiter, pass } = openLimiter()
  const [one, other] = [await goClaimed(limiter, 'a'), await goClaimed(limiter, 'a')]
  pass(500)
  t.equal(await one.acquire(null), null)
  pass(1)
  t.match(await other.acquire(null), { kind: 'defer', reason: 'in-flight cap' })
})

/** An endpoint that answers within 40 ms, and claims that last 11 ms. */
async function openBusy() {
  const { limiter, pass } = openLimiter({ maxPerSecond: 100_000 })
  for (let n = 0; n < 60; n++) {
    const one = await goClaimed(limiter, 'a')
    pass(11)
    await one.acquire(null)
    pass(40)
    one.leave(true)
  }
  const permits = await Promise.all(Array.from({ length: 12 }, () => goClaimed(limiter, 'a')))
  pass(11)
  const begun: boolean[] = []
  const deferrals = permits.map((each, at) =>
    each.acquire(null).then(deferral => {
      begun[at] = deferral === null
      return deferral
    }),
  )
  await new Promise(resolve => setImmediate(resolve))
  return { limiter, pass, permits, begun, deferrals }
}

t.test('as many more are claimed as the endpoint answers while two claims last', async t => {
  const { limiter, pass, permits, begun, deferrals } = await openBusy()
  t.strictSame(begun, Array(8).fill(true), 'no more than the cap in flight')
  const thirteenth = limiter.enter('a')
  pass(40)
  permits[0]!.leave(true)
  t.equal(await deferrals[8], null, 'the next begins as soon as a request ends')
  t.equal((await thirteenth).kind, 'go', 'and another one is claimed')
  t.equal(begun.length, 9)
})

t.test('what is claimed when an endpoint begins to hang gives its claim back', async t => {
  const { deferrals, pass } = await openBusy()
  pass(100)
  t.match(await Promise.all(deferrals.slice(8)), Array(4).fill({ kind: 'defer', reason: 'in-flight cap' }))
})

t.test('what is claimed when the breaker opens gives its claim back', async t => {
  const { limiter, pass, permits, deferrals } = await openBusy()
  // The successes of before are older than what the breaker looks at.
  pass(400_000)
  for (let n = 0; n < 10; n++) {
    const forced = limiter.force('a')
    await forced.acquire(null)
    forced.leave(false)
  }
  for (const each of permits.slice(0, 8)) each.leave(null)
  t.match(await Promise.all(deferrals.slice(8)), Array(4).fill({ kind: 'defer', reason: 'breaker open' }))
})

t.test('a forced delivery needs no place in flight', async t => {
  const { limiter } = openLimiter({ maxInFlight: 1 })
  await go(limiter, 'a')
  const forced = limiter.force('a')
  t.equal(await forced.acquire(null), null)
})

/** An endpoint whose gateway chose a rate. @param slots what the next requests are answered */
async function openRated(slots: { free: boolean; inMs: number }[], maxInFlight = 1) {
  const asked: number[] = []
  const paused: number[] = []
  const { limiter, pass } = openLimiter(
    { maxInFlight },
    {
      take: ({ perSecond }) => {
        asked.push(perSecond)
        return Promise.resolve(slots.shift()!)
      },
      pause: (_, forMs) => Promise.resolve(void paused.push(forMs)),
    },
  )
  return { limiter, pass, asked, paused }
}
const SLOT = { free: true, inMs: 0 }

t.test('a rate that a claim brings to light is kept for that claim already', async t => {
  const { limiter, asked } = await openRated([SLOT, { free: false, inMs: 700 }, SLOT])
  const first = await goClaimed(limiter, 'a')
  t.strictSame(asked, [], 'nobody knows it before the first claim')
  t.equal(await first.acquire(5), null)
  first.leave(true)
  t.strictSame(await limiter.enter('a'), { kind: 'defer', forMs: 700, reason: 'rate cap' })
  const third = await goClaimed(limiter, 'a')
  t.equal(await third.acquire(9), null, 'one request needs one slot')
  t.strictSame(asked, [5, 5, 5])
})

t.test('without a slot the claim is given back, of a forced delivery too', async t => {
  const { limiter, asked } = await openRated(Array(2).fill({ free: false, inMs: 300 }))
  const deferral = { kind: 'defer', forMs: 300, reason: 'rate cap' } as const
  const claimed = await goClaimed(limiter, 'a')
  t.strictSame(await claimed.acquire(1), deferral)
  claimed.leave(null)
  t.strictSame(await limiter.force('a').acquire(1), deferral)
  t.strictSame(asked, [1, 1])
})

t.test('what is sent without a rate any more asks for no slot', async t => {
  const { limiter, asked } = await openRated([SLOT, SLOT])
  for (const chosen of [5, null, null]) {
    const one = await goClaimed(limiter, 'a')
    t.equal(await one.acquire(chosen), null)
    one.leave(true)
  }
  t.strictSame(asked, [5, 5])
})

t.test('what an open breaker defers takes no slot', async t => {
  const { limiter, asked } = await openRated(Array(10).fill(SLOT))
  for (let n = 0; n < 10; n++) {
    const one = await goClaimed(limiter, 'a')
    await one.acquire(5)
    one.leave(false)
  }
  t.match(await limiter.enter('a'), { kind: 'defer', reason: 'breaker open' })
  t.equal(asked.length, 10)
})

t.test(
  'while an endpoint asks for patience, one delivery asks and the others wait for its answer',
  async t => {
    const slots = [SLOT, { free: true, inMs: 50 }, ...Array<typeof SLOT>(20).fill(SLOT)]
    const { limiter, pass, paused } = await openRated(slots, 4)
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
    const [asking, claimed] = [await goClaimed(limiter, 'a'), await goClaimed(limiter, 'a')]
    t.equal(await asking.acquire(1), null)
    const waiting = claimed.acquire(1)
    await pauseBy(asking, 30_000)
    t.match(await waiting, { kind: 'defer', reason: 'rate cap' }, 'what was claimed gives its claim back')
    claimed.leave(null)
    const probe = await goClaimed(limiter, 'a')
    t.equal(await probe.acquire(1), null)
    t.ok((await deferralOf()) > 0, 'the others wait for its answer')
    await pauseBy(probe, 60_000)
    t.strictSame(paused, [30_000, 60_000], 'in all workers')
    const last = await goClaimed(limiter, 'a')
    t.equal(await last.acquire(1), null)
    last.leave(true)
    t.equal((await limiter.enter('a')).kind, 'go')
  },
)

t.test('a way out that is closed pauses no rate, and is no failure of the endpoint', async t => {
  const { limiter, pass } = openLimiter()
  const one = await go(limiter, 'a')
  await one.pause({ kind: 'defer', forMs: 5_000, reason: 'proxy away' })
  one.leave(null)
  t.match(await limiter.enter('a'), { kind: 'defer', reason: 'proxy away' })
  pass(5_000)
  ;(await go(limiter, 'a')).leave(true)
  for (let n = 0; n < 10; n++) (await go(limiter, 'a')).leave(false)
  t.match(
    await limiter.enter('a'),
    { kind: 'defer', reason: 'breaker open' },
    'later failures have their own name',
  )
})
