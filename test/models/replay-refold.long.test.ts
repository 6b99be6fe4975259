// Traces of the model of refolding, replayed on the real functions with a real Postgres. The rows are compared after each step.
import { openStore, type Store } from '@payment-tracking/store'
import { createDatabase, type TestDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { boundedSource } from './engine/models.js'
import { breakStore, type StatementBreak } from './replay/break-store.js'
import { drawTraces, type TraceStep } from './replay/read-traces.js'
import { REFOLD_BOUNDS, replayRefold } from './replay/refold.js'

const SEED = Number(process.env.MODELS_SEED ?? 1)
const TRACES = 200
/** Each has a database: a trace begins with an empty one. */
const LANES = 3

/** Breaks of the code that a replay must notice. */
const BREAKS: readonly StatementBreak[] = [
  {
    name: 'work that begins again stays at its place',
    find: 'cursor = least(r.cursor, excluded.cursor)',
    replace: 'cursor = r.cursor',
  },
  {
    name: 'work that begins again keeps its sums',
    find: "then json_build_object('sources', r.state -> 'sources')",
    replace: 'then r.state',
  },
  {
    name: 'nobody knows that work has begun',
    find: "state -> 'sums' is not null as",
    replace: 'false as',
  },
  {
    name: 'work never ends',
    find: 'delete from refolds where kind =',
    replace: 'delete from refolds where false and kind =',
  },
]

t.setTimeout(580_000)
t.comment(`MODELS_SEED=${SEED}`)
const lanes: { store: Store; database: TestDatabase }[] = []
for (let lane = 0; lane < LANES; lane += 1) {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  lanes.push({ store, database })
}

/** @returns the first difference, or what was thrown */
async function replayAll(
  all: readonly TraceStep[][],
  using = (store: Store): Store => store,
): Promise<string | null> {
  const rest = [...all]
  let difference: string | null = null
  await Promise.all(
    lanes.map(async ({ store, database }) => {
      for (let trace = rest.pop(); trace && difference === null; trace = rest.pop()) {
        const found = await replayRefold(using(store), database, trace).catch(String)
        difference ??= found
      }
    }),
  )
  return difference
}

t.test('refold', async t => {
  const source = boundedSource('refold', REFOLD_BOUNDS)
  const traces = await drawTraces({ source, traces: TRACES, steps: 30, seed: SEED })
  t.equal(traces.length, TRACES)
  const seen = new Set(traces.flat().map(({ action }) => action))
  t.equal(seen.size, 6, `${[...seen].join(', ')}, in ${traces.flat().length} steps`)
  const difference = await replayAll(traces)
  if (difference !== null) t.comment(difference)
  t.equal(difference, null, 'the rows are what the model says, after each step')
  for (const each of BREAKS) {
    const broken: ReturnType<typeof breakStore>[] = []
    const difference = await replayAll(traces, store => {
      broken.push(breakStore(store, each))
      return broken.at(-1)!.store
    })
    t.ok(
      broken.some(store => store.found() > 0),
      `${each.name}: the text is in a statement`,
    )
    t.ok(difference !== null, `${each.name}: noticed`)
  }
})
