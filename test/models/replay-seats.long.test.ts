// Traces of the model of seats, replayed on real pods with a real Redis. Redis and the pods are compared after each step.
// In one process with others: Quint.
import { useRedis } from '@payment-tracking/testkit'
import t from 'tap'
import { boundedSource } from './engine/models.js'
import { BREAKS_SEED, PLANTS_BREAKS, SEED, TIMES } from './replay/draws.js'
import type { TraceStep } from './replay/read-traces.js'
import { replaySeats, SEATS_BOUNDS, SEATS_WEIGHTS } from './replay/seats.js'
import { followModel, walkModel } from './replay/walk-model.js'

/** How Redis loses what it has acknowledged, and how many traces of each: breaks are noticed by the first four. */
const FAMILIES = [
  { name: 'a flush', loss: '"flush"', traces: 8 },
  { name: 'a failover', loss: '"failover"', traces: 8 },
] as const

/** Breaks of the lease script that a replay must notice. */
const BREAKS: readonly { name: string; find: string; replace: string; loss?: string }[] = [
  {
    name: 'a lease that ended is renewed',
    find: "if not living and not (recovering and unfenced) then return { 'expired' } end",
    replace: '',
  },
  {
    name: 'newcomers are admitted while Redis recovers',
    find: "if recovering or (takingBack and not isHeld) then return { 'recovering' } end",
    replace: '',
  },
  {
    name: 'a seat that was taken over is not taken from its pod',
    find: "redis.call('SREM', seatsKey, old)",
    replace: '',
  },
  {
    name: 'one more place than there are',
    find: 'if #members >= limit or',
    replace: 'if #members > limit or',
  },
  {
    name: 'a pod whose seats Redis lost does not write them again',
    find: "if restored ~= generation then return { 'restore', generation } end",
    replace: '',
  },
  { name: 'the old pod is told of no takeover', find: "redis.call('SADD', evicted, old)", replace: '' },
  {
    name: 'a standby counts as the server before it',
    find: 'if ranOn ~= run then',
    replace: 'if ranOn == nil then',
    loss: '"failover"',
  },
]

/** What a standby has again, though a pod gave it up. */
const GIVEN_UP: readonly { name: string; steps: readonly string[] }[] = [
  {
    name: 'a seat that a client took over on the same pod is released again when a standby has it',
    steps: [
      ...[
        'ask(1, 0)',
        'granted(1)',
        'copy()',
        'ask(1, 1)',
        'granted(1)',
        'leave(1, {name:11,secret:2})',
        'failOver()',
      ],
      ...['send(1)', 'execute(1)', 'answer(1)', 'execute(1)', 'answer(1)'],
    ],
  },
  {
    name: 'a seat that was left while its pod began anew is released again when a standby has it',
    steps: [
      ...[
        'ask(1, 0)',
        'granted(1)',
        'tick(0)',
        'tick(0)',
        'send(1)',
        'execute(1)',
        'leave(1, {name:11,secret:1})',
      ],
      ...['copy()', 'answer(1)', 'execute(1)', 'answer(1)', 'failOver()'],
      ...['send(1)', 'execute(1)', 'answer(1)', 'execute(1)', 'answer(1)'],
    ],
  },
  {
    name: 'an answer of the server before it releases nothing on a standby',
    steps: [
      ...[
        'ask(1, 0)',
        'granted(1)',
        'copy()',
        'leave(1, {name:11,secret:1})',
        'send(1)',
        'execute(1)',
        'failOver()',
      ],
      ...['answer(1)', 'send(1)', 'execute(1)', 'answer(1)', 'execute(1)', 'answer(1)'],
    ],
  },
]

t.comment(`SEED=${SEED}`)
const { client, prefix } = await useRedis(t)

async function replayAll(
  traces: readonly TraceStep[][],
  breakScript?: (text: string) => string,
): Promise<string | null> {
  for (const [number, trace] of traces.entries()) {
    const difference = await replaySeats(client, `${prefix}-${number}`, trace, breakScript).catch(String)
    if (difference !== null) return difference
  }
  return null
}

for (const { name, loss, traces: count } of FAMILIES)
  t.test(`seats, with ${name} of Redis`, async t => {
    const source = boundedSource('seats', { ...SEATS_BOUNDS, LOSS: loss })
    const draw = (seed: number, times = 1) =>
      walkModel({
        name: 'seats',
        source,
        traces: times * count,
        steps: 50,
        seed,
        weights: SEATS_WEIGHTS,
      })
    const traces = draw(SEED, TIMES)
    t.equal(traces.length, TIMES * count)
    const seen = new Set(traces.flat().map(({ action }) => action))
    t.ok(seen.size >= 10, `${[...seen].join(', ')}, in ${traces.flat().length} steps`)
    t.equal(await replayAll(traces), null, 'Redis and the pods are as the model says, after each step')
    if (!PLANTS_BREAKS) return
    const known = SEED === BREAKS_SEED && TIMES === 1 ? traces : draw(BREAKS_SEED)
    for (const each of BREAKS.filter(each => (each.loss ?? FAMILIES[0].loss) === loss)) {
      let found = 0
      const difference = await replayAll(known, text => {
        found += text.split(each.find).length - 1
        return text.replace(each.find, () => each.replace)
      })
      t.ok(found > 0, `${each.name}: the text is in the script`)
      t.ok(difference !== null, `${each.name}: noticed`)
    }
  })

for (const { name, steps } of GIVEN_UP)
  t.test(name, async t => {
    const source = boundedSource('seats', { ...SEATS_BOUNDS, LOSS: '"failover"' })
    const trace = followModel('seats', source, steps)
    t.same(trace.at(-1)!.state.redis.seats, [], 'the place is free in the model')
    t.equal(await replayAll([trace]), null, 'and in Redis')
  })

t.test('a wait that begins within a millisecond of the renewal before it ends like any other', async t => {
  const source = boundedSource('seats', SEATS_BOUNDS)
  const trace = followModel('seats', source, [
    ...['ask(1, 0)', 'granted(1)', 'send(1)', 'execute(1)', 'tick(2)', 'tick(0)'],
    ...['ask(2, 1)', 'granted(2)', 'tick(0)', 'waitOver(2)'],
  ])
  // Real time decides how many milliseconds pass: of 20, some begin within one.
  t.equal(await replayAll(Array.from({ length: 20 }, () => trace)), null)
})
