// The laws of the state: what holds for every history and every order of arrival.
import { buildModel, sumsOf, type Model } from '@payment-tracking/testkit/oracle'
import { rebuildProjections } from '../../src/ingest/batch/begin-rebuild.js'
import type { ExpectationPlan } from './expected-plans.js'
import { describeExpectation, endsOf, findExpectedProblems } from './expected.js'
import { findFeedProblems, missing, readFeeds } from './feeds.js'
import { findRows } from './found.js'
import { isCountedAnew, type Arrival } from './arrivals.js'
import { historyOf } from './histories.js'
import { describe, type Message } from './messages.js'
import { findReadProblems } from './reads.js'
import { differences, gatewaysIn, gatewaysOf, rowsOf, rowsOfModel } from './rows.js'
import { pageOptions, store, type LawDatabase, type Run } from './run.js'
import { findSeqProblems } from './seqs.js'
import type { Marks, World } from './steps.js'
import { trackedAsIn, trackingChoices } from './tracked-as.js'
import { findLifecycleProblems } from './sent-policies.js'
import { findHandedProblems, findSentProblems } from './sent-payments.js'

export const LAWS = {
  model: 'after every order and every cut into batches, rows say what follows from the valid events',
  sums: 'aggregates equal the sums over payments, their extremes and their first and last times',
  seq: 'seq counts the payments of a tracking ID from 1 without holes, in the order of commits',
  sent: 'each fact is sent exactly once, to those who asked for it',
  feed: 'the feed of a gateway is what a webhook without filters is sent, in any pages at any time',
  expected:
    'what is expected is the state of the sum of what counts, and each change of it is sent once, in order',
  reads: 'the public functions for reading say the same',
  rebuild: 'a rebuild changes nothing but figures that are wrong',
  order: 'every other order and cut gives the same rows, but for seq, position and what tracked-as.ts names',
  retraction: 'retracting and repeating equals never having retracted',
}
export type Law = keyof typeof LAWS
export const ALL_LAWS = Object.keys(LAWS) as Law[]

type DescribedRun = Pick<Run, 'batches' | 'arrival'> & Partial<Pick<Run, 'expected'>>

export class LawBroken extends Error {
  constructor(
    readonly law: Law,
    problems: readonly string[],
    runs: readonly DescribedRun[],
  ) {
    const shown = problems.slice(0, 12).map(problem => `  ${problem}`)
    super([`broken: ${LAWS[law]}`, ...shown, ...runs.flatMap(describeRun)].join('\n'))
  }
}

const describeBatch = (batch: readonly Message[], nth: number, counted: boolean): string[] => [
  `  batch ${nth + 1}${counted ? ', before which figures are spoiled and counted anew' : ''}`,
  ...batch.map(message => `    ${describe(message)}`),
]

const describeRun = ({ batches, arrival, expected }: DescribedRun): string[] => [
  ...(expected ?? []).map(describeExpectation),
  `after these messages, ${arrival.rowsAtOnce} rows at once, ${arrival.pages} pages of work after each batch,`,
  `and before a rebuild of ${arrival.rebuild.rows} rows at once: ${arrival.rebuild.spoils.join('; ') || 'nothing'}`,
  ...batches.flatMap((batch, nth) => describeBatch(batch, nth, isCountedAnew(arrival, nth))),
]

export interface Drawn {
  worlds: readonly (World | null)[]
  marks: Marks
  expected: readonly ExpectationPlan[]
  first: Arrival
  second: Arrival
}

const isValid = ({ retracted }: { retracted: boolean }): boolean => !retracted

const changedFeed = (before: readonly string[], after: readonly string[]): string[] => [
  ...missing(before, after).map(body => `a feed lists no more: ${body}`),
  ...missing(after, before).map(body => `a feed lists in addition: ${body}`),
]

/** What the model says of one run. */
async function checkRun(law: LawDatabase, run: Run, ideal: Model, asked: ReadonlySet<Law>) {
  const model = trackedAsIn(run, ideal)
  const check = (name: Law, find: () => string[]) => {
    if (!asked.has(name)) return
    const problems = find()
    if (problems.length > 0) throw new LawBroken(name, problems, [run])
  }
  const rows = rowsOf(run.tables, run.payments)
  check('model', () => {
    const conflicts = new Map(
      model.conflicts.length === 0 ? [] : [['CONFLICT', String(model.conflicts.length)]],
    )
    const found = new Map(run.tables.conflicts.map(({ code, count }) => [String(code), String(count)]))
    const named = { conflicts, gateways_of_changes: gatewaysOf(model) }
    const is = { conflicts: found, gateways_of_changes: gatewaysIn(run.tables.events) }
    return differences({ ...rowsOfModel(model), ...named }, { ...rows, ...is })
  })
  check('sums', () => {
    const events = run.tables.events.filter(({ retracted }) => retracted === false)
    const named = events.map(({ name, at }) => ({ name: String(name), at: Number(at) }))
    return differences(sumsOf(named, run.payments.filter(isValid)), rows)
  })
  check('seq', () => findSeqProblems(run))
  check('sent', () => [
    ...findSentProblems(run, model),
    ...findLifecycleProblems(run, model),
    ...findHandedProblems(run, model),
  ])
  check('feed', () => findFeedProblems(run, model))
  check('expected', () => findExpectedProblems(run, model))
  if (asked.has('reads')) {
    const problems = await findReadProblems(law.store, run, model)
    check('reads', () => problems)
  }
  if (asked.has('rebuild')) {
    // Whom the deliveries do not protect from a second notification: retention has removed them.
    await law.pool.query(['delete from deliveries', ...run.arrival.rebuild.spoils].join(';'))
    await rebuildProjections(law.store, pageOptions(run.arrival))
    const { tables, payments } = await findRows(law.store, law.pool)
    const feeds = await readFeeds(law.store, run.history.webhooks)
    check('rebuild', () => [
      ...[...feeds].flatMap(([gateway, bodies]) => changedFeed(run.feeds.get(gateway) ?? [], bodies)),
      ...differences(rows, rowsOf(tables, payments)),
      ...tables.deliveries.map(({ type }) => `a rebuild sends ${String(type)}`),
    ])
  }
}

/**
 * What was cancelled depends on what was paid before: such expectations are not compared. Nor are those of tracking IDs that
 * a payment may have or not, by the order of arrival: `expected` holds each run of them against its own payments.
 */
function differentEnds(one: Run, other: Run, byArrival: ReadonlySet<string | null>): string[] {
  const [ends, others] = [endsOf(one, byArrival), endsOf(other, byArrival)]
  return [...ends].flatMap(([key, end]) =>
    [end, others.get(key)].some(text => text?.includes('cancelled')) || end === others.get(key)
      ? []
      : [`expected ${key}: ${end}, and in the other order ${others.get(key)}`],
  )
}

/** Stores histories in one order, in another, and without their retractions. @throws LawBroken */
export async function checkLaws(law: LawDatabase, drawn: Drawn, asked: ReadonlySet<Law>): Promise<void> {
  const { first, second } = drawn
  const history = historyOf(drawn)
  const run = await store(law, history, first, asked.has('feed') || asked.has('rebuild'))
  const model = buildModel(history.messages)
  await checkRun(law, run, model, asked)
  const choices = trackingChoices(model)
  const byArrival = new Set(choices.keys())
  const mayCount = new Set([...choices.values()].flatMap(ids => [...ids]))
  const rowsIn = ({ tables, payments }: Run, valid = false) => rowsOf(tables, payments, { valid, byArrival })
  if (asked.has('order')) {
    const other = await store(law, history, second)
    const problems = [...differences(rowsIn(run), rowsIn(other)), ...differentEnds(run, other, mayCount)]
    if (problems.length > 0) throw new LawBroken('order', problems, [run, other])
  }
  if (asked.has('retraction')) {
    // As `order` says, it does not matter how they arrive.
    const never = await store(law, historyOf(drawn, false), { ...first, rowsAtOnce: 500 })
    const problems = [
      ...differences(rowsIn(never), rowsIn(run, true)),
      ...differentEnds(never, run, mayCount),
    ]
    if (problems.length > 0) throw new LawBroken('retraction', problems, [never, run])
  }
}
