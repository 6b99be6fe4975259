// Runs test files side by side, in lanes by kind, and prints a line for each that has ended.
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { bundleTestFiles } from './bundle-test-files.mjs'
import { laneOf } from './list-test-files.mjs'
import { printCpuTable } from './print-cpu-table.mjs'
import { runTestFile } from './run-test-file.mjs'
import { describeCounts } from './totals.mjs'

/** How long a file may take unless it asks for more, in seconds; tap's own name for the setting. */
const TAP_TIMEOUT = Number(process.env.TAP_TIMEOUT ?? 120)

/**
 * The lanes in the order in which each worker takes files from them. System tests take longest, so every second worker
 * begins with them. A worker whose lane is empty takes files from the next lane.
 */
const PREFERENCES = [
  ['system', 'services', 'pure'],
  ['services', 'pure', 'system'],
]
/** Twice the number of processors, because most tests wait. */
const WORKERS = Number(process.env.TEST_JOBS ?? availableParallelism() * 2)

function report({ file, ok, passed, failed, skipped, failures, output, code, timedOut, seconds }) {
  const left = skipped > 0 ? `, ${skipped} skipped` : ''
  const line = `${ok ? 'ok' : 'not ok'} ${file} (${seconds.toFixed(1)} s, ${describeCounts({ passed, failed })}${left})`
  if (ok) return console.log(line)
  console.log(output.trimEnd())
  console.log(line)
  for (const name of failures) console.log(`  failed: ${name}`)
  if (timedOut) console.log('  killed: it did not end by itself after its time limit')
  else if (failures.length === 0) console.log(`  ended with ${code}`)
}

/**
 * @param files paths relative to `cwd`
 * @param options.env what each file gets besides the environment of this process
 * @param options.timeoutMs how long a file may take unless it asks for more
 * @param options.signal when aborted, running files are ended and no other is begun
 * @param options.afterFailure called after each file that failed, to clear away what it left
 * @returns how many assertions passed and failed; a file that breaks outside an assertion counts as one failure
 */
export async function runTestFiles(
  files,
  { cwd, env, signal, timeoutMs = TAP_TIMEOUT * 1_000, afterFailure = () => {} },
) {
  const paths = files.map(file => relative(cwd, resolve(cwd, file)))
  const { bundleOf, discard } = await bundleTestFiles(cwd, paths)
  const totals = { passed: 0, failed: 0 }
  const results = []
  const lanes = { pure: [], services: [], system: [] }
  for (const file of paths) lanes[laneOf(file)].push(file)
  const work = async preference => {
    for (;;) {
      const lane = preference.find(name => lanes[name].length > 0)
      if (!lane || signal?.aborted) return
      const file = lanes[lane].shift()
      const bundle = bundleOf.get(file)
      const result = await runTestFile(file, { bundle, cwd, env, timeoutMs, signal })
      report(result)
      results.push(result)
      totals.passed += result.passed
      totals.failed += result.ok ? 0 : Math.max(result.failed, 1)
      if (!result.ok) await afterFailure()
    }
  }
  try {
    const workers = Array.from({ length: WORKERS }, (_, index) => PREFERENCES[index % PREFERENCES.length])
    await Promise.all(workers.map(work))
  } finally {
    discard()
  }
  if (process.env.TEST_CPU) printCpuTable(results)
  return totals
}
