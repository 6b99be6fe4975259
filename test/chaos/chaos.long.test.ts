// Three runs of `npm run chaos` with seeds that nobody has tried: one with a promoted standby, one with a Redis that its
// Sentinels fail over. A seed that finds a difference stands in the output.
import { runChaosOnce } from './run-chaos-once.js'
import t from 'tap'

t.setTimeout(290_000)

t.test('nothing is lost, doubled or misdirected with a fresh seed', t => runChaosOnce(t, ['--seconds', '45']))
t.test('nor with another, when a standby that lacks commits is promoted', t =>
  runChaosOnce(t, ['--seconds', '45', '--promote']),
)
t.test('nor when Sentinels make the replica of Redis the primary', t =>
  runChaosOnce(t, ['--seconds', '30', '--sentinel']),
)
