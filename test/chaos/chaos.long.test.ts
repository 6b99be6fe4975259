// The short form of `npm run chaos`: 12 s with one seed, so a failure is the fault of a change. chaos.night.test.ts has
// longer forms.
import { runChaosOnce } from './run-chaos-once.js'
import t from 'tap'

t.test('nothing is lost, doubled or misdirected while everything is broken', t =>
  runChaosOnce(t, ['--seconds', '12', '--seed', process.env.SEED ?? '1']),
)
