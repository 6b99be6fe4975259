// What `npm test` does.
import { setUp } from '../set-up.mjs'
import { ROOT } from '../set-up/run.mjs'
import { checkCode } from './check-code.mjs'
import { addTotals } from './totals.mjs'
import { useMemoryForFiles } from './use-memory-for-files.mjs'

/**
 * Sets up, then runs the test files against one set of servers. Lint, format and types run while tests wait.
 * @param options.files the test files to run, without any check; every short one and the checks when there is none
 * @param options.signal when aborted, what runs is stopped and counts as failed
 * @returns how many assertions and checks passed and failed
 * @throws Error when the set-up or a server fails
 */
export async function runShortGate({ files = [], signal }) {
  useMemoryForFiles()
  await setUp(line => console.log(line))
  // These need packages that the set-up installs.
  const { listTestFiles } = await import('./list-test-files.mjs')
  const { runTestFiles } = await import('./run-test-files.mjs')
  const { removeAbandonedServers, withServers } = await import('./with-servers.mjs')
  const checking = files.length > 0 ? { passed: 0, failed: 0 } : checkCode(signal)
  const tested = await withServers(
    line => console.log(line),
    env =>
      runTestFiles(files.length > 0 ? files : listTestFiles(ROOT).short, {
        cwd: ROOT,
        // A failure is the fault of a change, not of chance.
        env: { ...env, SEED: process.env.SEED ?? '1' },
        signal,
        afterFailure: removeAbandonedServers,
      }),
  )
  return addTotals(tested, await checking, { passed: 0, failed: signal.aborted ? 1 : 0 })
}
