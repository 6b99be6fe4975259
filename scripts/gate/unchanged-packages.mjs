// `npm test` leaves out the short tests of packages that passed with the same files: turbo notes what passed, by the inputs in
// turbo.json. It does not run them itself: a runner for each package would bundle and open servers of its own. To ask costs 0.6 s of
// CPU, to note 0.3 s for each package that ran. `.ci/run` neither asks nor notes, because a fresh clone has no notes.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, TURBO_ENV } from '../command.mjs'
import { packageOf } from './test-files.mjs'

const TURBO = 'node_modules/.bin/turbo'
/** What decides, besides files, what tests do. */
const SETTINGS = ['SEED', 'TEST_NODE', 'JUDGE_TIMES', 'FUZZ_REQUESTS', 'HOSTILE_POLICIES', 'UPDATE_DOCUMENTS']
const TEST_KEY = [process.version, ...SETTINGS.map(name => process.env[name] ?? '')].join()

const RESULTS = join(ROOT, 'node_modules/.cache/payment-tracking', `results-${process.pid}.json`)

/** `@payment-tracking/api:test: 12 assertions passed` */
const PASSED = /^(\S+?):test: (\d+) assertions passed$/gm

/** What turbo prints, also when a task failed. */
async function runTurbo(args, options) {
  let output = ''
  await run(TURBO, ['run', 'test', ...args], { ...options, onOutput: text => (output += text) }).catch(
    () => {},
  )
  return output
}

/**
 * @returns two functions. `isUnchanged` says whether the package of a test file passed with the same files. `note` lets turbo note the
 *   packages all of whose test files passed now. It returns how many assertions had passed in each package that was left out
 * @throws what turbo says
 */
export async function askForUnchanged(signal) {
  const options = { env: { ...TURBO_ENV, TEST_KEY }, signal }
  const { tasks } = JSON.parse(await run(TURBO, ['run', 'test', '--dry=json'], options))
  const taskOf = new Map(
    tasks.filter(({ command }) => command !== '<NONEXISTENT>').map(task => [task.directory, task]),
  )
  const unchanged = [...taskOf.values()].filter(({ cache }) => cache.status === 'HIT')
  const note = async ({ passedOf, failedFiles }) => {
    const results = {}
    for (const [file, passed] of Object.entries(passedOf)) {
      const folder = packageOf(file)
      results[folder] ??= { hash: taskOf.get(folder).hash, passed: 0 }
      results[folder].passed += passed
    }
    for (const file of failedFiles) delete results[packageOf(file)]
    writeFileSync(RESULTS, JSON.stringify(results))
    const env = { ...options.env, TEST_RESULTS: RESULTS }
    const output = await runTurbo(['--continue', '--output-logs=full'], { env, signal })
    rmSync(RESULTS, { force: true })
    const passedOfPackage = new Map(
      [...output.matchAll(PASSED)].map(([, name, passed]) => [name, Number(passed)]),
    )
    return unchanged.map(task => ({
      folder: task.directory,
      passed: passedOfPackage.get(task.package) ?? 0,
    }))
  }
  return { isUnchanged: file => unchanged.includes(taskOf.get(packageOf(file))), note }
}
