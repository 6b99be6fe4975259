// Two runs of `npm run chaos` with seeds that nobody has tried. A seed that finds a difference stands in the output.
import { runChaosOnce } from './chaos/run-chaos-once.js'
import t from 'tap'

t.setTimeout(350_000)

for (const run of ['first', 'second']) {
  t.test(`nothing is lost, doubled or misdirected with the ${run} fresh seed`, t =>
    runChaosOnce(t, ['--seconds', '60']),
  )
}
