// Traces of a model, replayed on the real functions with real servers. The model and what they hold are compared after each step.
import { openStore, type Store } from '@payment-tracking/store/core'
import { createDatabase, type TestDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { boundedSource } from '../engine/models.js'
import { breakStore } from './break-store.js'
import { BREAKS_SEED, PLANTS_BREAKS, SEED, TIMES } from './draws.js'
import { walkModel, type TraceStep } from './walk-model.js'

/** Each has a database: a trace begins with an empty one. */
const PARTS = 3

/** A break of the code that a replay must notice: of a statement's or script's text, or of the code until what `apply` returns is called. */
export type Break = { name: string } & ({ find: string; replace: string } | { apply: () => () => void })

export interface ReplayedModel<World> {
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
  /** The same traces with every seed, and how many at night: what a trace may hold is limited, or what it needs is rare. */
  always?: { atNight: number }
  /** how many different actions the traces have at least */
  actions: number
  /** @returns the first difference */
  replay: (world: World, trace: TraceStep[], breakText?: (text: string) => string) => Promise<string | null>
  breaks: readonly Break[]
}

export interface Lane {
  store: Store
  database: TestDatabase
}

/** Replays traces of models of the store, in lanes that have a database each. */
export async function testStoreReplays(models: readonly ReplayedModel<Lane>[]): Promise<void> {
  const lanes: Lane[] = []
  for (let part = 0; part < PARTS; part += 1) {
    const database = await createDatabase(t)
    const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
    t.teardown(() => store.close())
    lanes.push({ store, database })
  }
  for (const model of models)
    await testReplay(lanes, {
      ...model,
      replay: ({ store, database }, trace, breakText) =>
        model.replay({ store: breakText ? breakStore(store, breakText) : store, database }, trace),
    })
}

/** Replays traces of a model on the code, and then on each break of the code. @param lanes those that replay side by side */
export async function testReplay<World>(
  lanes: readonly World[],
  { name, bounds, title = name, traces: count, steps, weights = {}, always, ...model }: ReplayedModel<World>,
): Promise<void> {
  /** @returns the first difference, or what was thrown */
  async function replayAll(
    all: readonly TraceStep[][],
    breakText?: (text: string) => string,
  ): Promise<string | null> {
    const rest = [...all]
    let difference: string | null = null
    await Promise.all(
      lanes.map(async world => {
        for (let trace = rest.shift(); trace && difference === null; trace = rest.shift()) {
          const found = await model.replay(world, trace, breakText).catch(String)
          difference ??= found
        }
      }),
    )
    return difference
  }

  await t.test(title, async t => {
    const source = boundedSource(name, bounds)
    const draw = (seed: number, traces = count) => walkModel({ name, source, traces, steps, seed, weights })
    const atNight = TIMES > 1
    const traces = always ? draw(BREAKS_SEED, atNight ? always.atNight : count) : draw(SEED, TIMES * count)
    t.comment(`SEED=${SEED}`)
    const seen = new Set(traces.flat().map(({ action }) => action))
    t.ok(seen.size >= model.actions, `${[...seen].join(', ')}, in ${traces.flat().length} steps`)
    const difference = await replayAll(traces)
    if (difference !== null) t.comment(difference)
    t.equal(difference, null, 'everything is as the model says, after each step')
    if (!PLANTS_BREAKS) return
    const known = always || (SEED === BREAKS_SEED && !atNight) ? traces : draw(BREAKS_SEED)
    for (const each of model.breaks) {
      const restore = 'apply' in each ? each.apply() : () => {}
      let found = 0
      const difference = await replayAll(known, text => {
        if (!('find' in each) || !text.includes(each.find)) return text
        found += 1
        return text.replace(each.find, () => each.replace)
      }).finally(restore)
      if ('find' in each) t.ok(found > 0, `${each.name}: the text is in a statement`)
      t.ok(difference !== null, `${each.name}: noticed`)
    }
  })
}
