// Runs the files and scripts of steps side by side, in lanes by kind, and prints a line for each that has ended.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { ROOT } from '../command.mjs'
import { bundleTestFiles } from './bundle-test-files.mjs'
import { runGroup } from './run-group.mjs'
import { runTestFiles } from './run-test-files.mjs'
import { removeAbandonedServers } from './servers.mjs'
import { groupFiles, laneOf } from './test-files.mjs'

/** How long a file may take unless it asks for more, in seconds; tap's own name for the setting. Only what hangs takes so long. */
const TAP_TIMEOUT = Number(process.env.TAP_TIMEOUT ?? 900)

/**
 * The lanes in the order in which each worker takes work from them. What is in the lane `system` takes longest, so every second
 * worker begins with it. A worker whose lane is empty takes from the next lane.
 */
const PREFERENCES = [
  ['system', 'services', 'pure'],
  ['services', 'pure', 'system'],
]
/** Two more than there are processors, because most tests wait; a fifth on two cost more than it gained. All share the servers. */
const WORKERS = Number(process.env.TEST_JOBS ?? availableParallelism() + 2)

/** For a line of progress. The text `N passed, N failed` is kept for the last line. */
export const describeCounts = ({ passed, failed }) =>
  failed > 0 ? `${failed} of ${passed + failed} assertions failed` : `${passed} assertions`

function reportFile({ file, ok, skipped, failures, output, why, seconds, cpuSeconds, ...counts }) {
  const left = skipped > 0 ? `, ${skipped} skipped` : ''
  const times = `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU`
  const line = `${ok ? 'ok' : 'not ok'} ${file} (${times}, ${describeCounts(counts)}${left})`
  if (ok) return console.log(line)
  console.log(`${output.trimEnd()}\n${line}`)
  for (const name of failures) console.log(`  failed: ${name}`)
  if (why) console.log(`  ${why}`)
}

/** @returns what Node is told to run for a script of package.json, `node scripts/run.mjs PROGRAM ARGUMENT...` */
function programOf({ script, args }) {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  return [...scripts[script].split(' ').slice(2), ...args]
}

async function runScript(step, { env, signal, timeoutMs }) {
  const startedAt = Date.now()
  const budget = AbortSignal.timeout(timeoutMs)
  const { code, cpuSeconds } = await runGroup(['--import', 'tsx', ...programOf(step)], {
    env: { ...env, TAP_TIMEOUT: String(timeoutMs / 1_000) },
    signal: AbortSignal.any([signal, budget]),
  })
  const ok = code === 0 && !budget.aborted && !signal.aborted
  const seconds = (Date.now() - startedAt) / 1_000
  console.log(`${ok ? 'ok' : 'not ok'} npm run ${step.script} (${seconds.toFixed(1)} s)`)
  if (!ok) console.log(budget.aborted ? '  ended: it hung' : `  ended with ${code}`)
  return { ok, passed: Number(ok), failed: Number(!ok), cpuSeconds }
}

/** Of a step whose parts have all ended. */
function reportStep({ step, passed, failed, startedAt, cpuSeconds }) {
  const seconds = Math.round((Date.now() - startedAt) / 1_000)
  const figures = `${seconds} s, ${Math.round(cpuSeconds)} s of CPU, ${describeCounts({ passed, failed })}`
  console.log(`${failed === 0 ? 'ok' : 'not ok'} step ${step.name} (${figures})`)
  return seconds
}

/**
 * @param steps see steps.mjs; files are below the working directory
 * @param options.env what each file and script gets besides the environment of this process
 * @param options.signal when aborted, what runs is ended and nothing else is begun
 * @returns of each step how many assertions `passed` and `failed`, the `failedFiles`, `passedOf` each file, `seconds` and `cpuSeconds`. A file that
 *   breaks outside an assertion counts as one failure.
 */
export async function runSteps(steps, { env = {}, signal }) {
  const results = steps.map(step => ({
    step,
    passed: 0,
    failed: 0,
    failedFiles: [],
    passedOf: {},
    cpuSeconds: 0,
    seconds: 0,
  }))
  const lanes = { pure: [], services: [], system: [] }
  for (const result of results) {
    const { files } = result.step
    const groups = files ? groupFiles(files) : [undefined]
    result.left = groups.length
    for (const group of groups) lanes[group ? laneOf(group[0]) : 'system'].push({ result, group })
  }
  const parts = Object.values(lanes).flat()
  const { bundleOf, discard } = await bundleTestFiles(parts.flatMap(({ group }) => (group ? [group] : [])))
  const note = (result, ended) => {
    result.passed += ended.passed
    if (ended.file) result.passedOf[ended.file] = ended.passed
    if (ended.ok) return
    result.failed += Math.max(ended.failed, 1)
    if (ended.file) result.failedFiles.push(ended.file)
  }
  const runPart = async ({ result, group }) => {
    const { step } = result
    const timeoutMs = step.minutes ? step.minutes * 60_000 : TAP_TIMEOUT * 1_000
    const options = { env: { ...env, ...step.env }, flags: step.flags, timeoutMs, signal }
    result.startedAt ??= Date.now()
    const failedBefore = result.failed
    if (group) {
      const onFile = ended => {
        reportFile(ended)
        note(result, ended)
      }
      const cpuSeconds = await runTestFiles(group, bundleOf.get(group), { ...options, onFile })
      result.cpuSeconds += cpuSeconds
    } else {
      const ended = await runScript(step, options)
      note(result, ended)
      result.cpuSeconds += ended.cpuSeconds
    }
    if (result.failed > failedBefore) await removeAbandonedServers()
    result.left -= 1
    if (result.left === 0) result.seconds = reportStep(result)
  }
  const work = async preference => {
    for (;;) {
      const lane = preference.find(name => lanes[name].length > 0)
      if (!lane || signal.aborted) return
      await runPart(lanes[lane].shift())
    }
  }
  const workers = steps.some(({ inTurn }) => inTurn) ? 1 : WORKERS
  try {
    await Promise.all(
      Array.from({ length: workers }, (_, nth) => work(PREFERENCES[nth % PREFERENCES.length])),
    )
  } finally {
    discard()
  }
  return results
}
