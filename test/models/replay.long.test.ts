// Traces of the model of deliveries, replayed on the real functions with a real Postgres.
// In one process with others: Quint.
import { boundsOf, FAMILIES, replayDeliveries, type Family } from './replay/deliveries.js'
import { testStoreReplays, type Break } from './replay/test-replay.js'

/** Breaks of the code that a replay must notice, and the traces that notice them. */
const BREAKS: readonly (Break & { family: Family })[] = [
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
    name: 'a redelivery opens no new cycle',
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

/** An answer that comes after the claim has passed to another is rare: a claim must end while its answer is on the way. */
const WEIGHTS = { expire: 3, claim: 2, crash: 0.3, putBackOf: 0.5, turnOff: 0.3 }

await testStoreReplays(
  Object.values(FAMILIES).map(family => ({
    name: 'deliveries',
    bounds: boundsOf(family),
    title: `deliveries, ${family.name}`,
    // One kind alone has the rare steps that most breaks need.
    traces: family.ordered ? 8 : 60,
    steps: 60,
    weights: WEIGHTS,
    actions: 12,
    replay: (lane, trace) => replayDeliveries(lane, family, trace),
    breaks: BREAKS.filter(each => each.family === family),
  })),
)
