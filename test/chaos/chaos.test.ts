// What `npm run chaos` promises of itself and can be shown without breaking anything.
import { readFileSync } from 'node:fs'
import { BREAKS } from './breaks/breaks.js'
import { applyPatch } from './breaks/copy-system.js'
import { findReadProblems, ToldHeads } from './load/answer-rules.js'
import { buildPlan } from './plan/plan.js'
import { compareFollower } from './reconcile/reconcile.js'
import t from 'tap'

const options = { seconds: 20, faultEveryMs: 500, messageEveryMs: 100 }

t.test('a seed is a schedule: the same twice, another for another seed', async t => {
  const [first, again, other] = await Promise.all(
    ['seed', 'seed', 'another'].map(seed => buildPlan({ seed, ...options })),
  )
  t.same(first!.faults, again!.faults)
  t.same(first!.clients, again!.clients)
  const firstSteps = first!.load.steps.map(({ atMs, message }) => [atMs, message.bytes])
  t.same(
    firstSteps,
    again!.load.steps.map(({ atMs, message }) => [atMs, message.bytes]),
  )
  t.notSame(first!.faults, other!.faults)
})

t.test('each schedule expects payments, of which some are met, late, given up, and taken back', async t => {
  for (const seed of ['1', '2', '3']) {
    const { load } = await buildPlan({ seed, seconds: 20, faultEveryMs: 0, messageEveryMs: 60 })
    const { expectations, steps } = load
    t.ok(expectations.length > 20, `${expectations.length} expectations`)
    t.ok(expectations.some(({ lastsMs }) => lastsMs === null) && expectations.some(each => each.lastsMs))
    t.ok(expectations.some(({ cancelledAtMs }) => cancelledAtMs !== null))
    const tills = new Set(expectations.map(({ recipient }) => recipient))
    const paid = steps.flatMap(({ message: { message } }) =>
      message && tills.has(message.data.recipient as string) ? [message] : [],
    )
    t.ok(paid.some(({ timestamp }) => timestamp.startsWith('2100')))
    const signatures = new Set(paid.map(({ signature }) => signature))
    const taken = steps.flatMap(({ message: { control } }) =>
      control?.kind === 'retracted' ? [control] : [],
    )
    t.ok(taken.filter(({ signature }) => signatures.has(signature)).length > 2)
    t.ok(signatures.size > expectations.length, 'some are paid in parts')
  }
})

t.test('a long schedule has every kind of fault', async t => {
  const { faults } = await buildPlan({
    seed: 'long',
    seconds: 600,
    faultEveryMs: 200,
    messageEveryMs: 60_000,
  })
  t.same([...new Set(faults.map(({ kind }) => kind))].sort(), [
    'cut',
    'delete-consumer',
    'fill-stream',
    'flush',
    'kill',
    'kill-server',
    'pause',
    'pause-server',
    'slow',
    'stall',
    'terminate',
  ])
})

t.test('what was told before a question is not taken for what was told after it', async t => {
  const told = new ToldHeads()
  told.tell('a', 'order', 2)
  const before = told.now()
  told.tell('a', 'order', 3)
  told.tell('a', 'order', 1)
  told.tell(undefined, 'order', 9)
  t.same([before('a', 'order'), told.now()('a', 'order'), before('b', 'order')], [2, 3, 0])
})

t.test('a read that goes back is seen', async t => {
  const at = (position: number, epoch = 'a') => ({ position, epoch })
  t.same(findReadProblems(at(5), at(5)), [])
  t.same(findReadProblems(at(5), at(4, 'b')), [], 'another database')
  t.same(findReadProblems(undefined, at(1)), [])
  t.equal(findReadProblems(at(5), at(4)).length, 1)
})

t.test('a stream of events that leaves one out, repeats one or moves what was kept is seen', async t => {
  const stored = ['a', 'b', 'c'].map((id, index) => ({ id, position: index + 1 }))
  const [a, b, c] = stored as [(typeof stored)[0], (typeof stored)[0], (typeof stored)[0]]
  const compare = (events: typeof stored, lost: typeof stored = []) =>
    compareFollower({ events, lost, problems: [] }, stored, 2)
  t.same(compare(stored), [])
  t.same(compare(stored, [a, b, { id: 'd', position: 3 }]), [], 'what was lost may come back elsewhere')
  for (const wrong of [
    [a, c],
    [a, b],
    [a, b, b, c],
    [a, b, { ...c, position: 4 }],
    [...stored, c],
  ])
    t.equal(compare(wrong).length, 1, JSON.stringify(wrong))
  t.equal(compare(stored, [a, { ...c, position: 2 }]).length, 1)
})

// Whether each is caught, `npm run chaos:self-test` shows in minutes; that it still breaks anything is known at once.
t.test('every break finds the text that it changes', async t => {
  for (const { name, patches } of BREAKS) {
    for (const patch of patches) {
      const built = readFileSync(new URL(`../../${patch.file}`, import.meta.url), 'utf8')
      t.doesNotThrow(() => applyPatch(built, patch), name)
    }
  }
})
