// Longer forms of `npm run chaos`: one with a promoted standby, one with a Redis that its Sentinels fail over. SEED repeats
// them.
import { runChaosOnce } from './run-chaos-once.js'
import t from 'tap'

const seed = process.env.SEED ?? String(Date.now() % 2 ** 31)
t.comment(`SEED=${seed}`)

for (const [name, ...flags] of [
  ['nothing is lost, doubled or misdirected', '--seconds', '120'],
  ['nor when a standby that lacks commits is promoted', '--seconds', '120', '--promote'],
  ['nor when Sentinels make the replica of Redis the primary', '--seconds', '90', '--sentinel'],
] as const)
  t.test(name, t => runChaosOnce(t, ['--seed', seed, ...flags]))
