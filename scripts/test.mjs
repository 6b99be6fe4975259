// `npm test`, `npm run test:long` and .ci/run (`--all`). The last line is `N passed, N failed`.
import { relative } from 'node:path'
import { run, runCommand } from './command.mjs'
import { STEPS } from './gate/long-steps.mjs'
import { listTestFiles, listTestFolders } from './gate/test-files.mjs'
import { setUp } from './set-up.mjs'

const USAGE = `usage: npm test [-- FILE...]
  Lint, format, types and every short test, in some 8 minutes; or these test files alone.

usage: npm run test:long [-- STEP...]
  What takes minutes or tries something else each time: all steps, or those that are named:
  ${STEPS.map(({ name }) => name).join('\n  ')}

usage: node scripts/test.mjs --all
  Both, as CI runs them.
usage: node scripts/test.mjs --alone [FILE...]
  These test files, or every short one below the working directory, without the set-up. Each file
  has its own servers unless TEST_DATABASE_URL, TEST_REDIS_URL and TEST_NATS_URL are set.`

const stopping = new AbortController()
const { signal } = stopping
const totals = { passed: 0, failed: 0 }
function count({ passed, failed }) {
  totals.passed += passed
  totals.failed += failed
}

/** As lists of files name it: below the working directory. */
const toPath = file => relative('', file)

const since = startedAt => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`

/** Lint, format and types, in the time that tests leave idle. */
async function checkCode() {
  for (const name of ['lint', 'format', 'types']) {
    const startedAt = Date.now()
    try {
      await run('nice', ['-n', '10', 'npm', 'run', '--silent', name], { signal })
      console.log(`ok ${name} (${since(startedAt)})`)
      count({ passed: 1, failed: 0 })
    } catch (error) {
      console.log(`${error.message}\nnot ok ${name}`)
      count({ passed: 0, failed: 1 })
    }
  }
}

// These need packages that the set-up installs.
const importRunner = () => import('./gate/run-test-files.mjs')
const importServers = () => import('./gate/servers.mjs')

async function runShort(files) {
  const { runTestFiles } = await importRunner()
  const { withServers } = await importServers()
  const checking = files.length > 0 ? undefined : checkCode()
  await withServers(async servers => {
    // A failure is the fault of a change, not of chance.
    const env = { ...servers, SEED: process.env.SEED ?? '1' }
    count(await runTestFiles(files.length > 0 ? files : listTestFiles().short, { env, signal }))
  })
  await checking
}

/** Runs one step within its budget. */
async function runStep({ name, minutes, files, program, env: own }, servers) {
  const { describeCounts, runTestFiles } = await importRunner()
  const { runGroup } = await import('./gate/run-group.mjs')
  const startedAt = Date.now()
  const timeoutMs = minutes * 60_000
  const budget = AbortSignal.timeout(timeoutMs)
  const options = {
    env: { ...servers, TAP_TIMEOUT: String(minutes * 60), ...own },
    signal: AbortSignal.any([signal, budget]),
  }
  if (own?.SEED) console.log(`SEED=${own.SEED}`)
  let counts
  if (files) counts = await runTestFiles(files, { ...options, timeoutMs })
  else {
    const isOk = (await runGroup(['--import', 'tsx', ...program], options)) === 0
    counts = { passed: Number(isOk), failed: Number(!isOk) }
  }
  if (budget.aborted) {
    counts.failed += 1
    console.log(`${name} took longer than its budget of ${minutes} min and was ended`)
  }
  const time = `${since(startedAt)} of ${minutes} min`
  console.log(`${counts.failed === 0 ? 'ok' : 'not ok'} step ${name} (${time}, ${describeCounts(counts)})`)
  count(counts)
}

async function runLong(names) {
  const { withServers } = await importServers()
  const steps = STEPS.filter(({ name }) => names.length === 0 || names.includes(name))
  await withServers(async servers => {
    for (const [index, step] of steps.entries()) {
      if (signal.aborted) return
      console.log(`step ${index + 1} of ${steps.length}: ${step.name} …`)
      await runStep(step, servers)
    }
  })
}

async function runAlone(named) {
  const files = named.length > 0 ? named : listTestFiles().short
  if (files.length === 0)
    throw new Error(`no test file is below ${process.cwd()}, in ${listTestFolders().join(', ')}`)
  const { runTestFiles } = await importRunner()
  count(await runTestFiles(files, { signal }))
}

const flag = { type: 'boolean' }
const options = { all: flag, alone: flag, long: flag }
await runCommand({ usage: USAGE, options, allowPositionals: true }, async ({ all, alone, long }, names) => {
  const unknown = names.find(name => long && !STEPS.some(step => step.name === name))
  if (unknown !== undefined) {
    console.error(`no step is called ${unknown}\n${USAGE}`)
    return 2
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort())
  try {
    if (!alone) await setUp()
    if (alone) await runAlone(names.map(toPath))
    else if (!long) await runShort(names.map(toPath))
    if (all || long) await runLong(names)
  } catch (error) {
    console.error(error.message)
    totals.failed += 1
  }
  if (signal.aborted) totals.failed += 1
  console.log(`${totals.passed} passed, ${totals.failed} failed`)
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1
})
