// Traces of a model, replayed on the real functions with a real Postgres. The rows are compared after each step.
import { openStore, type Store } from '@payment-tracking/store/core'
import { createDatabase, type TestDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { boundedSource } from '../engine/models.js'
import { breakStore, type StatementBreak } from './break-store.js'
import { BREAKS_SEED, PLANTS_BREAKS, SEED, TIMES } from './draws.js'
import type { TraceStep } from './read-traces.js'
import { walkModel } from './walk-model.js'

/** Each has a database: a trace begins with an empty one. */
const PARTS = 3

export interface ReplayedModel {
  name: string
  bounds: Parameters<typeof boundedSource>[1]
  /** of the test, when the model is replayed with several bounds */
  title?: string
  /** enough to notice each break; the night draws more */
  traces: number
  /** of each trace */
  steps: number
  /** see walkModel; without them each step is as likely as any other */
  weights?: Readonly<Record<string, number>>
  /** how many different actions the traces have at least */
  actions: number
  /** @returns the first difference */
  replay: (store: Store, database: TestDatabase, trace: TraceStep[]) => Promise<string | null>
  /** breaks of the code that a replay must notice */
  breaks: readonly StatementBreak[]
}

/** Replays traces of each model on the code, and then on each break of the code. */
export async function testReplays(models: readonly ReplayedModel[]): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const lanes: { store: Store; database: TestDatabase }[] = []
  for (let part = 0; part < PARTS; part += 1) {
    const database = await createDatabase(t)
    const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
    t.teardown(() => store.close())
    lanes.push({ store, database })
  }
  for (const model of models) await testReplay(model, lanes)
}

async function testReplay(
  { name, bounds, title = name, traces: count, steps, weights = {}, actions, replay, breaks }: ReplayedModel,
  lanes: readonly { store: Store; database: TestDatabase }[],
): Promise<void> {
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
          const found = await replay(using(store), database, trace).catch(String)
          difference ??= found
        }
      }),
    )
    return difference
  }

  await t.test(title, async t => {
    const source = boundedSource(name, bounds)
    const draw = (seed: number, times = 1) =>
      walkModel({ name, source, traces: times * count, steps, seed, weights })
    const traces = draw(SEED, TIMES)
    t.equal(traces.length, TIMES * count)
    const seen = new Set(traces.flat().map(({ action }) => action))
    t.ok(seen.size >= actions, `${[...seen].join(', ')}, in ${traces.flat().length} steps`)
    const difference = await replayAll(traces)
    if (difference !== null) t.comment(difference)
    t.equal(difference, null, 'the rows are what the model says, after each step')
    if (!PLANTS_BREAKS) return
    const known = SEED === BREAKS_SEED && TIMES === 1 ? traces : draw(BREAKS_SEED)
    for (const each of breaks) {
      const broken: ReturnType<typeof breakStore>[] = []
      const difference = await replayAll(known, store => {
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
}
