// `npm run chaos`: breaks everything, then looks whether anything was lost, doubled or misdirected. Exit code 0: no difference.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { readArguments } from '@payment-tracking/runtime/arguments'

const USAGE = `usage: npm run chaos [-- --seconds N] [--seed S] [--promote] [--sentinel]
  --seconds N, --seed S     how long (60), and what decides every message, client and fault
  --promote, --sentinel     a standby that lacks commits takes over; Redis behind Sentinels
  --fault-every MS, --message-every MS   the pace
  --keep                    keeps logs and data`

const { values: flags } = readArguments({
  usage: USAGE,
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    'fault-every': { type: 'string', default: '900' },
    'message-every': { type: 'string', default: '60' },
    keep: { type: 'boolean', default: false },
    promote: { type: 'boolean', default: false },
    sentinel: { type: 'boolean', default: false },
  },
})
// A question for the usage need not load the whole system.
const { buildPlan } = await import('./plan/plan.js')
const { runChaos } = await import('./run-chaos.js')

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** To come to rest: some time for every run, and a tenth of the run for what it left waiting. */
const restAfter = (seconds: number) => 150_000 + seconds * 100
const seed = flags.seed ?? randomBytes(6).toString('hex')
const seconds = Number(flags.seconds)

const log = (line: string) => console.log(line)
const abort = new AbortController()
process.once('SIGINT', () => abort.abort(new Error('interrupted')))
process.once('SIGTERM', () => abort.abort(new Error('terminated')))
// A fault that cannot be lifted, such as a server that does not start again, ends the run in an orderly way.
process.on('unhandledRejection', error => abort.abort(error))
log(`chaos: ${seconds} s with seed "${seed}"`)
const plan = await buildPlan({
  seed,
  seconds,
  faultEveryMs: Number(flags['fault-every']),
  messageEveryMs: Number(flags['message-every']),
  promotion: flags.promote,
  sentinels: flags.sentinel,
})
const startedMs = performance.now()
const report = await runChaos({
  plan,
  root: ROOT,
  idleWithinMs: restAfter(seconds),
  log,
  keep: flags.keep,
  signal: abort.signal,
}).catch((error: unknown) => {
  const after = Math.round((performance.now() - startedMs) / 1000)
  log(
    `ended after ${after} s, before anything was compared (seed "${seed}"; all that was started is stopped)`,
  )
  log(inspect(error))
  process.exit(130)
})
log(
  Object.entries(report.counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', '),
)
for (const line of report.differences) log(`DIFFERENCE ${line}`)
log(
  report.differences.length === 0
    ? `no difference after ${report.counts.faults} faults`
    : `${report.differences.length} differences; again with: npm run chaos -- --seconds ${seconds} --seed "${seed}"${flags.promote ? ' --promote' : ''}${flags.sentinel ? ' --sentinel' : ''}`,
)
if (flags.keep) log(`logs and data: ${report.dataDir}`)
process.exit(report.differences.length === 0 ? 0 : 1)
