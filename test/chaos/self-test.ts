// `npm run chaos:self-test`: breaks a copy of the system in many ways, and shows that chaos finds each of them. First of all it runs the copy unbroken: with the same faults, nothing may be
// found. `--only` leaves the unbroken copy out.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { readArguments } from '@payment-tracking/runtime/arguments'
import type { Break } from './breaks/breaks.js'
import type { FaultStep } from './plan/fault-plan.js'

const USAGE = `usage: npm run chaos:self-test [-- --only NAME] [--at-once N]
  Breaks copies of the system, and shows that chaos finds each break.
  --only NAME   tries one break
  --at-once N   copies side by side (3); --verbose prints what each run says`

const { values: flags } = readArguments({
  usage: USAGE,
  options: {
    only: { type: 'string', multiple: true },
    'at-once': { type: 'string', default: '3' },
    verbose: { type: 'boolean', default: false },
  },
})
// A question for the usage need not load the whole system.
const { BREAKS } = await import('./breaks/breaks.js')
const { applyPatches, copySystem } = await import('./breaks/copy-system.js')
const { buildPlan } = await import('./plan/plan.js')
const { runChaos } = await import('./run-chaos.js')

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SEED = 'self-test'
const SHORTEST_SECONDS = 10
/** For what never comes to rest because it is broken. */
const REST_MS = 15_000
const CONTROL_REST_MS = 90_000
const MOST_RUNS = 3

const secondsFor = (faults: readonly FaultStep[]): number =>
  Math.max(
    SHORTEST_SECONDS,
    ...faults.map(fault => (fault.atMs + ('forMs' in fault ? fault.forMs : 0)) / 1000 + 2),
  )

async function runBroken(
  { name, patches, faults }: Omit<Break, 'caughtAs'>,
  idleWithinMs: number,
): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), 'payment-tracking-broken-'))
  try {
    await copySystem(ROOT, copy)
    await applyPatches(copy, patches)
    const plan = await buildPlan({
      seed: SEED,
      seconds: secondsFor(faults),
      faultEveryMs: 0,
      messageEveryMs: 60,
    })
    const log = (line: string) => flags.verbose && console.log(`  ${line}`)
    const { differences } = await runChaos({
      plan: { ...plan, faults },
      root: copy,
      idleWithinMs,
      log,
      keep: false,
      // A second process of each service is started only where a fault is done to it.
      replicas: patches.length === 0 || faults.some(({ target }) => target.endsWith('-2')) ? 2 : 1,
    })
    return differences
  } catch (error) {
    throw new Error(`${name}: the run itself failed`, { cause: error })
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

let failed = 0
const report = (
  good: boolean,
  name: string,
  differences: readonly string[],
  matching: string | undefined,
) => {
  if (!good) failed++
  console.log(
    `${good ? 'ok' : 'NOT OK'} ${name}: ${differences.length} differences${matching ? `, such as\n   ${matching}` : ''}`,
  )
  if (!good) for (const line of differences.slice(0, 20)) console.log(`   ${line}`)
}

const chosen = BREAKS.filter(({ name }) => !flags.only || flags.only.includes(name))

/** The unbroken copy under all faults of all breaks, one after the other; a promotion has a run of its own. */
async function runUnbroken(): Promise<void> {
  let endMs = 0
  const faults = chosen
    .filter(({ faults: [first] }) => first?.kind !== 'promote-standby')
    .flatMap(each => {
      const beginMs = endMs
      endMs += each.faults.length === 0 ? 0 : (secondsFor(each.faults) - 2) * 1000
      return each.faults.map(fault => ({ ...fault, atMs: beginMs + fault.atMs }))
    })
  const differences = await runBroken({ name: 'unbroken', patches: [], faults }, CONTROL_REST_MS)
  report(differences.length === 0, 'the unbroken copy under the faults of all breaks', differences, undefined)
}

/** A break that follows from timing may stay unseen in one run of a busy machine; a run that fails shows nothing. */
async function runBreak(each: Break): Promise<void> {
  for (let run = 1; ; run += 1) {
    const differences = await runBroken(each, REST_MS).catch((error: unknown) => [`run: ${inspect(error)}`])
    const matching = differences.find(line => !line.startsWith('run: ') && each.caughtAs.test(line))
    if (matching === undefined && run < MOST_RUNS) continue
    return report(matching !== undefined, `${each.name} (run ${run})`, differences, matching)
  }
}

/** Runs wait far more than they work, so some go side by side. The longest begins first. */
const waiting = [...(flags.only ? [] : [runUnbroken]), ...chosen.map(each => () => runBreak(each))]
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await next()
}
await Promise.all(Array.from({ length: Number(flags['at-once']) }, work))
console.log(failed === 0 ? `all ${chosen.length} breaks were caught` : `${failed} were not as they should be`)
process.exit(failed === 0 ? 0 : 1)
