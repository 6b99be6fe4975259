// `npm test`, `npm run test:systems`, `npm run test:night` and .ci/run (`--all`). The last line is `N passed, N failed`.
import { relative } from 'node:path'
import { run, runCommand, TURBO_ENV } from './command.mjs'
import { readCpuSeconds } from './gate/cpu-seconds.mjs'
import { NIGHT, SHORT, SYSTEMS } from './gate/steps.mjs'
import { askForUnchanged } from './gate/unchanged-packages.mjs'
import { groupFiles, listTestFiles, listTestFolders } from './gate/test-files.mjs'
import { watchStarter } from './gate/watch-starter.mjs'
import { setUp } from './set-up.mjs'

/** In lines that fit a terminal. */
const listNames = steps =>
  steps
    .map(({ name }) => name)
    .reduce((text, name) => {
      const length = text.length - text.lastIndexOf('\n')
      return `${text}${length + name.length > 90 ? '\n  ' : ' '}${name}`
    })
const USAGE = `usage: npm test [-- FILE...]
  Lint, format, types and every short test, in some 6 minutes; or these test files alone.

usage: npm run test:systems [-- STEP...]
  Whole systems, the same each time, in some 15 minutes; or these steps, of which self-test,
  models and planted run by name alone:
  ${listNames(SYSTEMS)}

usage: npm run test:night [-- STEP...]
  What looks for the unknown or judges times, for hours; or these steps. SEED repeats a night.
  ${listNames(NIGHT)}

usage: node scripts/test.mjs --all
  The first two, as .ci/run.
usage: node scripts/test.mjs --alone [FILE...]
  These test files, or every short one below the working directory, without the set-up. Each file
  has its own servers unless TEST_DATABASE_URL, TEST_REDIS_URL and TEST_NATS_URL are set.`

/** What the scheduled workflow reports. */
const NIGHT_TABLE = '.data/night.md'

const stopping = new AbortController()
const { signal } = stopping
const totals = { passed: 0, failed: 0 }
function count({ passed, failed }) {
  totals.passed += passed
  totals.failed += failed
}

/** As lists of files name it: below the working directory. */
const toPath = file => relative('', file)

const TURBO = 'node_modules/.bin/turbo'

/** Lint, format and types, in the time that tests leave idle. What has not changed since turbo saw it pass costs nothing. */
async function checkCode() {
  for (const name of ['lint', 'format', 'types']) {
    const startedAt = Date.now()
    try {
      await run('nice', ['-n', '10', TURBO, 'run', `//#${name}`, '--output-logs=errors-only'], {
        env: TURBO_ENV,
        signal,
      })
      console.log(`ok ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`)
      count({ passed: 1, failed: 0 })
    } catch (error) {
      console.log(`${error.message}\nnot ok ${name}`)
      count({ passed: 0, failed: 1 })
    }
  }
}

// These need packages that the set-up installs.
const importRunner = () => import('./gate/run-steps.mjs')
const importServers = () => import('./gate/servers.mjs')

async function runTogether(steps) {
  const { runSteps } = await importRunner()
  const { withServers } = await importServers()
  const results = await withServers(env => runSteps(steps, { env, signal }))
  results.forEach(count)
  return results
}

/** The short files, without those of packages that passed with the same files. */
async function runChanged() {
  const [step] = SHORT
  const { isUnchanged, note } = await askForUnchanged(signal)
  const files = step.files.filter(file => !isUnchanged(file))
  const [result] =
    files.length > 0 ? await runTogether([{ ...step, files }]) : [{ passedOf: {}, failedFiles: [] }]
  if (signal.aborted) return
  for (const { folder, passed } of await note(result)) {
    console.log(`ok ${folder} (unchanged since ${passed} assertions passed)`)
    count({ passed, failed: 0 })
  }
}

/** A process that is alone opens its servers itself, when it asks for them: many files need none. */
async function runNamed(step) {
  if (groupFiles(step.files).length > 1) return runTogether([step])
  const { runSteps } = await importRunner()
  const { useMemoryForFiles } = await importServers()
  useMemoryForFiles()
  const [result] = await runSteps([step], { signal })
  count(result)
}

async function runAlone(named) {
  const files = named.length > 0 ? named : listTestFiles().short
  if (files.length === 0)
    throw new Error(`no test file is below ${process.cwd()}, in ${listTestFolders().join(', ')}`)
  const { runSteps } = await importRunner()
  const [result] = await runSteps([{ name: 'alone', files }], { signal })
  count(result)
}

async function runAtNight(steps) {
  const { runNight } = await import('./gate/run-night.mjs')
  const { withServers } = await importServers()
  const results = await runNight(steps, { table: NIGHT_TABLE, withServers, signal })
  results.forEach(count)
}

const IN_GATE = SYSTEMS.filter(({ atNight }) => !atNight)

/** @returns the steps of these names, in their order in the list */
const choose = (steps, names) => steps.filter(({ name }) => names.includes(name))

async function runChosen({ all, alone, systems, night }, names) {
  if (alone) return runAlone(names.map(toPath))
  if (night) return runAtNight(names.length > 0 ? choose(NIGHT, names) : NIGHT)
  if (systems) return runTogether(names.length > 0 ? choose(SYSTEMS, names) : IN_GATE)
  // Without the gate's flags: the table of a night names this command for a file that failed at night.
  if (names.length > 0) return runNamed({ ...SHORT[0], flags: [], files: names.map(toPath) })
  await Promise.all([checkCode(), all ? runTogether([...IN_GATE, ...SHORT]) : runChanged()])
}

const flag = { type: 'boolean' }
const options = { all: flag, alone: flag, systems: flag, night: flag }
await runCommand({ usage: USAGE, options, allowPositionals: true }, async (flags, names) => {
  const { alone, systems, night } = flags
  const steps = systems ? SYSTEMS : NIGHT
  const unknown = (systems || night) && names.find(name => !steps.some(step => step.name === name))
  if (unknown) {
    console.error(`no step is called ${unknown}\n${USAGE}`)
    return 2
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort())
  watchStarter(process.env, reason => {
    if (!signal.aborted) console.error(`the run stops: ${reason}`)
    stopping.abort()
  })
  const startedAt = Date.now()
  try {
    if (!alone) await setUp()
    if (!signal.aborted) await runChosen(flags, names)
  } catch (error) {
    console.error(error.message)
    totals.failed += 1
  }
  if (signal.aborted) totals.failed += 1
  const minutes = seconds => (seconds / 60).toFixed(1)
  console.log(`${minutes((Date.now() - startedAt) / 1_000)} min, ${minutes(readCpuSeconds())} min of CPU`)
  console.log(`${totals.passed} passed, ${totals.failed} failed`)
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1
})
