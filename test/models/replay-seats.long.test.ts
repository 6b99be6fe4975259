// Traces of the model of seats, replayed on real pods with a real Redis. Redis and the pods are compared after each step.
// In one process with others: Quint.
import { useRedis } from '@payment-tracking/testkit'
import t from 'tap'
import { boundedSource } from './engine/models.js'
import { replaySeats, SEATS_BOUNDS, SEATS_WEIGHTS } from './replay/seats.js'
import { testReplay, type Break } from './replay/test-replay.js'
import { followModel, type TraceStep } from './replay/walk-model.js'

/** How Redis loses what it has acknowledged. Breaks are noticed by the first four traces of each. */
const FAMILIES = [
  { name: 'a flush', loss: '"flush"' },
  { name: 'a failover', loss: '"failover"' },
] as const

/** Breaks of the lease script that a replay must notice. */
const BREAKS: readonly (Break & { loss?: string })[] = [
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

const { client, prefix } = await useRedis(t)
let number = 0
/** @returns the first difference, or what was thrown */
const replay = (trace: readonly TraceStep[], breakText?: (text: string) => string) =>
  replaySeats(client, `${prefix}-${(number += 1)}`, trace, breakText).catch(String)

for (const { name, loss } of FAMILIES)
  await testReplay([client], {
    name: 'seats',
    title: `seats, with ${name} of Redis`,
    bounds: { ...SEATS_BOUNDS, LOSS: loss },
    traces: 8,
    steps: 50,
    weights: SEATS_WEIGHTS,
    actions: 10,
    replay: (_, trace, breakText) => replay(trace, breakText),
    breaks: BREAKS.filter(each => (each.loss ?? FAMILIES[0].loss) === loss),
  })

for (const { name, steps } of GIVEN_UP)
  t.test(name, async t => {
    const source = boundedSource('seats', { ...SEATS_BOUNDS, LOSS: '"failover"' })
    const trace = followModel('seats', source, steps)
    t.same(trace.at(-1)!.state.redis.seats, [], 'the place is free in the model')
    t.equal(await replay(trace), null, 'and in Redis')
  })

t.test('a wait that begins within a millisecond of the renewal before it ends like any other', async t => {
  const source = boundedSource('seats', SEATS_BOUNDS)
  const trace = followModel('seats', source, [
    ...['ask(1, 0)', 'granted(1)', 'send(1)', 'execute(1)', 'tick(2)', 'tick(0)'],
    ...['ask(2, 1)', 'granted(2)', 'tick(0)', 'waitOver(2)'],
  ])
  // Real time decides how many milliseconds pass: of 20, some begin within one.
  for (let time = 0; time < 20; time += 1) t.equal(await replay(trace), null)
})
