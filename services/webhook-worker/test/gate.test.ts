import t from 'tap'
import { buildEndpointGate, type GateLimits, type Pass } from '../src/endpoints/endpoint-gate.js'

function openGate(limits: Partial<GateLimits> = {}) {
  let now = 1_000_000
  const gate = buildEndpointGate(
    { maxInFlight: 8, maxPerSecond: 1_000, maxQueued: 256, ...limits },
    { now: () => now, chance: () => 0 },
  )
  return { gate, pass: (ms: number) => (now += ms) }
}

const go = async (gate: ReturnType<typeof openGate>['gate'], id: string): Promise<Pass> => {
  const entry = await gate.enter(id)
  if (entry.kind !== 'go') throw new Error(`held: ${entry.reason}`)
  return entry
}

t.test('an unknown endpoint is on probation; one success lifts it, one failure brings it back', async t => {
  const { gate } = openGate()
  const first = await Promise.all([1, 2, 3, 4].map(() => go(gate, 'a')))
  const fifth = gate.enter('a')
  first[0]!.leave(true)
  t.equal((await fifth).kind, 'go', 'the queue moves up when a request ends')
  const more = await Promise.all([1, 2, 3, 4].map(() => go(gate, 'a')))
  t.equal(more.length, 4, 'eight on the way')
  first[1]!.leave(false)
  t.match(await gate.enter('a'), { kind: 'hold', reason: 'in-flight cap' }, 'seven are more than four')
})

t.test('as many deliveries wait in memory as the endpoint will have answered soon', async t => {
  const { gate, pass } = openGate({ maxPerSecond: 100_000 })
  const answer = async (ms: number) => {
    const one = await go(gate, 'a')
    pass(ms)
    one.leave(true)
  }
  const countHeld = async () => {
    const passes = await Promise.all(Array.from({ length: 8 }, () => go(gate, 'a')))
    const entries = Array.from({ length: 300 }, () => gate.enter('a'))
    let held = 0
    for (const entry of entries) void entry.then(({ kind }) => (held += Number(kind === 'hold')))
    await Promise.resolve()
    const heldAtOnce = held
    // Each that leaves calls the next one in.
    for (const one of passes) one.leave(null)
    for (const entry of entries) {
      const turn = await entry
      if (turn.kind === 'go') turn.leave(null)
    }
    return heldAtOnce
  }
  for (let n = 0; n < 60; n++) await answer(2)
  t.equal(await countHeld(), 300 - 256, 'a fast one: half of all slots')
  for (let n = 0; n < 60; n++) await answer(400)
  t.equal(await countHeld(), 297, 'a slow one: hardly any')
})

t.test('one endpoint at its cap does not touch another', async t => {
  const { gate } = openGate()
  await Promise.all([1, 2, 3, 4].map(() => go(gate, 'hung')))
  const queued = [1, 2, 3, 4, 5].map(() => gate.enter('hung'))
  t.match(await gate.enter('hung'), { kind: 'hold', reason: 'in-flight cap' }, 'the queue is full')
  t.equal((await gate.enter('healthy')).kind, 'go')
  t.match(
    await Promise.all(queued),
    Array(5).fill({ kind: 'hold' }),
    'those in the queue wait no longer than PATIENCE_MS',
  )
})

t.test('an endpoint that hangs is come back to ever more slowly, before a request has ended', async t => {
  const { gate, pass } = openGate()
  await Promise.all([1, 2, 3, 4].map(() => go(gate, 'hung')))
  const holdsFor = async () => {
    const queued: Promise<unknown>[] = []
    for (;;) {
      const entry = gate.enter('hung')
      const now = await Promise.race([entry, Promise.resolve(null)])
      if (now === null) queued.push(entry)
      else if (now.kind === 'hold')
        return { queued: queued.length, forMs: now.forMs, all: Promise.all(queued) }
      else throw new Error('a fifth request')
    }
  }
  const first = await holdsFor()
  t.equal(first.queued, 5)
  await first.all
  pass(8_000)
  const later = await holdsFor()
  t.equal(later.queued, 1)
  await later.all
  t.ok(later.forMs >= 1_000, `${later.forMs} ms after ${first.forMs} ms`)
})

t.test('an endpoint that mostly fails is held until its cool-down ends, then probed by one', async t => {
  const { gate, pass } = openGate()
  for (let n = 0; n < 10; n++) (await go(gate, 'bad')).leave(false)
  t.match(await gate.enter('bad'), { kind: 'hold', reason: 'breaker open', forMs: 60_000 })
  t.equal(gate.countOpen(), 1)
  pass(60_000)
  const probe = await go(gate, 'bad')
  t.match(await gate.enter('bad'), { kind: 'hold', reason: 'breaker open' })
  probe.leave(null)
  const again = await go(gate, 'bad')
  again.leave(true)
  t.equal((await gate.enter('bad')).kind, 'go')
  t.equal(gate.countOpen(), 0)
})

t.test('a pass that is left twice counts once', async t => {
  const { gate } = openGate({ maxInFlight: 1 })
  const one = await go(gate, 'a')
  one.leave(true)
  one.leave(null)
  await go(gate, 'a')
  t.match(await Promise.all([gate.enter('a'), gate.enter('a')]), [{ kind: 'hold' }, { kind: 'hold' }])
})

t.test('the rate cap lets a burst of one second through and spaces the rest', async t => {
  const { gate, pass } = openGate({ maxInFlight: 100, maxPerSecond: 10 })
  for (let n = 0; n < 10; n++) (await go(gate, 'a')).leave(true)
  const [first, second] = [await gate.enter('a'), await gate.enter('a')]
  t.match(
    [first, second],
    [
      { kind: 'hold', reason: 'rate cap' },
      { kind: 'hold', reason: 'rate cap' },
    ],
  )
  t.ok((second as { forMs: number }).forMs > (first as { forMs: number }).forMs, 'one after another')
  pass(100)
  t.equal((await gate.enter('a')).kind, 'go')
})

t.test('what must go goes, through an open breaker too', async t => {
  const { gate } = openGate()
  for (let n = 0; n < 10; n++) (await go(gate, 'bad')).leave(false)
  t.equal(gate.force('bad').kind, 'go')
})
