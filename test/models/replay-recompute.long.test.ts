// In one process with others: Quint.
import { RECOMPUTE_BOUNDS, replayRecompute } from './replay/recompute.js'
import { testReplays } from './replay/test-replay.js'

await testReplays([
  {
    name: 'recompute',
    bounds: RECOMPUTE_BOUNDS,
    traces: 10,
    steps: 30,
    actions: 6,
    replay: replayRecompute,
    breaks: [
      {
        name: 'work that begins again stays at its place',
        find: 'cursor = least(r.cursor, excluded.cursor)',
        replace: 'cursor = r.cursor',
      },
      {
        name: 'work that begins again keeps its sums',
        find: "(r.state - 'sums')",
        replace: 'r.state',
      },
      {
        name: 'nobody knows that work has begun',
        find: "state -> 'sums' is not null as",
        replace: 'false as',
      },
      {
        name: 'work never ends',
        find: 'delete from work where kind =',
        replace: 'delete from work where false and kind =',
      },
    ],
  },
])
