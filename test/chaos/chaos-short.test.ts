// The short form of `npm run chaos`: 12 s with a seed that never changes, so a failure is the fault of a change.
// `npm run test:long` runs longer forms with fresh seeds.
import { runChaosOnce } from './run-chaos-once.js'
import t from 'tap'

// The system starts, is broken for 12 s, comes to rest and is compared.
t.setTimeout(240_000)

t.test('nothing is lost, doubled or misdirected while everything is broken', t =>
  runChaosOnce(t, ['--seconds', '12', '--seed', 'the same every time']),
)
