// Runs test files side by side, in lanes by kind, and prints a line for each that has ended.
import { availableParallelism } from 'node:os'
import { bundleTestFiles } from './bundle-test-files.mjs'
import { runTestFile } from './run-test-file.mjs'
import { removeAbandonedServers } from './servers.mjs'
import { laneOf } from './test-files.mjs'

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

/** For a line of progress. The text `N passed, N failed` is kept for the last line. */
export const describeCounts = ({ passed, failed }) =>
  failed > 0 ? `${failed} of ${passed + failed} assertions failed` : `${passed} assertions`

function report(file, { ok, skipped, failures, output, code, timedOut, seconds, ...counts }) {
  const left = skipped > 0 ? `, ${skipped} skipped` : ''
  const line = `${ok ? 'ok' : 'not ok'} ${file} (${seconds.toFixed(1)} s, ${describeCounts(counts)}${left})`
  if (ok) return console.log(line)
  console.log(`${output.trimEnd()}\n${line}`)
  for (const name of failures) console.log(`  failed: ${name}`)
  if (timedOut) console.log('  killed: it did not end by itself after its time limit')
  else if (failures.length === 0) console.log(`  ended with ${code}`)
}

/**
 * @param files below the working directory
 * @param options.env what each file gets besides the environment of this process
 * @param options.timeoutMs how long a file may take unless it asks for more
 * @param options.signal when aborted, running files are ended and no other is begun
 * @returns how many assertions passed and failed; a file that breaks outside an assertion counts as one failure
 */
export async function runTestFiles(files, { env, signal, timeoutMs = TAP_TIMEOUT * 1_000 }) {
  const { bundleOf, discard } = await bundleTestFiles(files)
  const totals = { passed: 0, failed: 0 }
  const lanes = { pure: [], services: [], system: [] }
  for (const file of files) lanes[laneOf(file)].push(file)
  const work = async preference => {
    for (;;) {
      const lane = preference.find(name => lanes[name].length > 0)
      if (!lane || signal.aborted) return
      const file = lanes[lane].shift()
      const result = await runTestFile(bundleOf.get(file), { env, timeoutMs, signal })
      report(file, result)
      totals.passed += result.passed
      totals.failed += result.ok ? 0 : Math.max(result.failed, 1)
      if (!result.ok) await removeAbandonedServers()
    }
  }
  try {
    await Promise.all(
      Array.from({ length: WORKERS }, (_, nth) => work(PREFERENCES[nth % PREFERENCES.length])),
    )
  } finally {
    discard()
  }
  return totals
}
