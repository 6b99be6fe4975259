// What `npm run chaos` promises of itself and can be shown without breaking anything.
import { readFileSync } from 'node:fs'
import { renderExpectationMessage, type ExpectationType } from '@payment-tracking/domain'
import { findNoticeProblems, type ExpectedState } from '@payment-tracking/testkit/oracle'
import { BREAKS } from './breaks/breaks.js'
import { catchBreak } from './breaks/catch-break.js'
import { applyPatch } from './breaks/copy-system.js'
import { buildPlan } from './plan/plan.js'
import { summarise } from './report/recovery.js'
import t from 'tap'

const options = { seconds: 20, faultEveryMs: 500, messageEveryMs: 100 }

t.test('a seed is a schedule: the same twice, another for another seed', async t => {
  const [first, again, other] = await Promise.all(
    ['seed', 'seed', 'another'].map(seed => buildPlan({ seed, ...options })),
  )
  t.same(first!.faults, again!.faults)
  t.same(first!.clients, again!.clients)
  t.same(
    first!.load.steps.map(({ atMs, message }) => [atMs, message.bytes]),
    again!.load.steps.map(({ atMs, message }) => [atMs, message.bytes]),
  )
  t.notSame(first!.faults, other!.faults)
})

t.test('each schedule has payments that come again before their retraction', async t => {
  for (const seed of ['1', '2', '3']) {
    const { load } = await buildPlan({ seed, seconds: 10, faultEveryMs: 0, messageEveryMs: 60 })
    const inTurn = load.steps.filter(({ followers }) => followers)
    t.ok(inTurn.length >= 3, `${inTurn.length} payments`)
    for (const { message: first, followers } of inTurn) {
      const { signature, slot } = first.message!
      t.match(followers, [{ message: { signature } }, { control: { kind: 'retracted', signature, slot } }])
      t.ok(followers![0]!.message!.slot > slot)
    }
  }
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
    t.ok(taken.filter(({ signature }) => signatures.has(signature)).length > 3)
    t.ok(signatures.size > expectations.length, 'some are paid in parts')
  }
})

t.test('a change of an expectation that is told twice, never, or out of order is seen', async t => {
  const id = '0192f7a0-0000-7000-8000-000000000000'
  const notice = (
    name: string,
    state: ExpectedState,
    change: number,
    { paidAmount = 30n, over = 'all' }: Partial<{ paidAmount: bigint; over: 'all' | 'final' }> = {},
  ) => {
    const type = `expectation.${name}` as ExpectationType
    const of = { over, changes: BigInt(change), position: null }
    return { id: renderExpectationMessage(type, { id } as never, of).id, type, state, paidAmount }
  }
  const [part, paid, reopened, expired] = [
    notice('underpaid', 'underpaid', 1),
    notice('paid', 'paid', 2, { paidAmount: 100n }),
    notice('reopened', 'expired', 3),
    notice('expired', 'expired', 3),
  ]
  const changed = { id, over: 'all', changes: 3, state: 'expired' } as const
  const notified = [part, paid, reopened, expired]
  t.same(findNoticeProblems(changed, notified), [])
  for (const wrong of [
    [part, paid, paid, reopened, expired],
    [part, reopened, expired],
    [paid, part, reopened, expired],
    [part, paid, expired, reopened],
    [part, paid, reopened],
    [...notified, notice('expired', 'expired', 4)],
    [part, notice('paid', 'paid', 2, { over: 'final' }), reopened, expired],
    [],
  ])
    t.equal(findNoticeProblems(changed, wrong).length, 1, wrong.map(({ type }) => type).join())
  const cancelled = { ...changed, state: 'cancelled' } as const
  t.same(findNoticeProblems({ ...cancelled, changes: 2 }, [part]), [], 'a part is given up')
  t.equal(findNoticeProblems(cancelled, [part, paid]).length, 1, 'what is paid cannot be cancelled')
  const silent = [part, notice('underpaid', 'underpaid', 3), notice('expired', 'expired', 4)]
  t.same(findNoticeProblems({ ...cancelled, changes: 5 }, silent), [], 'some send nothing')
  t.equal(findNoticeProblems({ ...changed, changes: 4 }, silent.slice(1)).length, 1)
  const late = (paidAmount: bigint) => notice('underpaid', 'expired', 4, { paidAmount })
  t.same(findNoticeProblems({ ...changed, changes: 4 }, [...notified, late(31n)]), [], 'a part after the end')
  t.equal(findNoticeProblems({ ...changed, changes: 4 }, [...notified, late(30n)]).length, 1, 'no part came')
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

t.test('what was never ready again is told apart from what was', async t => {
  const [row] = summarise([
    { name: 'kill api', readyMs: 10, flowMs: null },
    { name: 'kill api', readyMs: null, flowMs: null },
    { name: 'kill api', readyMs: 30, flowMs: 5 },
  ])
  t.match(row, { count: 3, readyP50: 10, readyMax: 30, flowP50: 5, flowMax: 5 })
})

t.test('a break that was not seen is run three times at most, one that was seen not again', async t => {
  const caughtAs = /lost$/
  for (const [unseen, runs] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 3],
  ] as const) {
    let made = 0
    const run = async () => {
      made += 1
      if (made > unseen) return ['events: other', `events: ${made} is lost`]
      if (made === 1) throw new Error('a server is lost')
      return ['events: another difference']
    }
    const caught = await catchBreak(run, caughtAs)
    t.equal(made, runs)
    t.match(caught, { runs, matching: unseen < 3 ? `events: ${runs} is lost` : undefined })
  }
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
