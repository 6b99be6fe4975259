// Traces of the models, replayed on the real functions with real servers. The state is compared after each step.
import { openStore } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { boundedSource } from './engine/models.js'
import { breakStore, type StatementBreak } from './replay/break-store.js'
import { boundsOf, FAMILIES, replayDeliveries, type Family } from './replay/deliveries.js'
import { drawTraces, type TraceStep } from './replay/read-traces.js'

const SEED = Number(process.env.SEED ?? 1)
/** One kind alone has the rare steps that most breaks need. */
const TRACES = { alone: 200, inOrder: 50 }
/** Whose traces are known to notice each break. */
const BREAKS_SEED = 1
const LANES = 4

/** Breaks of the code that a replay must notice, and the traces that notice them. */
const BREAKS: readonly (StatementBreak & { family: Family })[] = [
  {
    name: 'a late failure ends the claim of a later attempt',
    find: 'd.attempts_made = r.number',
    replace: 'true',
    family: FAMILIES.alone,
  },
  {
    name: 'a try beyond the last',
    find: 'd.attempts_made >= d.tries_allowed',
    replace: 'false',
    family: FAMILIES.alone,
  },
  {
    name: 'what turning off has cancelled is live when the webhook is on again',
    find: 'd.activation = w.activation',
    replace: 'true',
    family: FAMILIES.alone,
  },
  {
    name: 'interrupted attempts stay open',
    find: "set outcome = 'interrupted'",
    replace: 'set outcome = null',
    family: FAMILIES.alone,
  },
  {
    name: 'a claim that is put back uses up a try',
    find: 'attempts_made = d.attempts_made - 1',
    replace: 'attempts_made = d.attempts_made',
    family: FAMILIES.alone,
  },
  {
    name: 'a late return of a claim ends the claim of a later attempt',
    find: 'd.attempts_made = c.number',
    replace: 'true',
    family: FAMILIES.alone,
  },
  {
    name: 'a redelivery opens no new round',
    find: 'd.attempts_made + ',
    replace: '0 + ',
    family: FAMILIES.alone,
  },
  {
    name: 'a claim takes what is behind an earlier delivery',
    find: 'b.id < d.id',
    replace: 'false',
    family: FAMILIES.inOrder,
  },
]

t.comment(`SEED=${SEED}`)
const database = await createDatabase(t)
const store = openStore({ DATABASE_URL: database.url, poolSize: LANES })
t.teardown(() => store.close())

/** @returns the first difference */
async function replayAll(
  using: typeof store,
  family: Family,
  all: readonly TraceStep[][],
): Promise<string | null> {
  const rest = [...all]
  let difference: string | null = null
  const lane = async () => {
    for (let trace = rest.pop(); trace && difference === null; trace = rest.pop())
      difference ??= await replayDeliveries(using, database, family, trace)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return difference
}

for (const family of Object.values(FAMILIES))
  t.test(`deliveries, ${family.name}`, async t => {
    const source = boundedSource('deliveries', boundsOf(family))
    const wanted = family.ordered ? TRACES.inOrder : TRACES.alone
    const draw = (seed: number) => drawTraces({ source, traces: wanted, steps: 60, seed })
    const traces = await draw(SEED)
    t.equal(traces.length, wanted)
    const seen = new Set(traces.flat().map(({ action }) => action))
    t.ok(seen.size >= 12, `${[...seen].join(', ')}, in ${traces.flat().length} steps`)
    t.equal(await replayAll(store, family, traces), null, 'the rows are what the model says, after each step')
    const known = SEED === BREAKS_SEED ? traces : await draw(BREAKS_SEED)
    for (const each of BREAKS.filter(each => each.family === family)) {
      const broken = breakStore(store, each)
      const difference = await replayAll(broken.store, family, known)
      t.ok(broken.found() > 0, `${each.name}: the text is in a statement`)
      t.ok(difference !== null, `${each.name}: noticed`)
    }
  })
