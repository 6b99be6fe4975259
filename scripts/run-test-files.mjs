// `node scripts/run-test-files.mjs [FILE...]`: runs test files without any set-up; without FILE, every short test file
// below the working directory. Each file has its own servers unless TEST_DATABASE_URL, TEST_REDIS_URL and TEST_NATS_URL
// are set.
import { listTestFiles, testFolders } from './gate/list-test-files.mjs'
import { runTestFiles } from './gate/run-test-files.mjs'
import { exitWithTotals } from './gate/totals.mjs'
import { removeAbandonedServers } from './gate/with-servers.mjs'

await exitWithTotals(async signal => {
  const cwd = process.cwd()
  const named = process.argv.slice(2)
  const files = named.length > 0 ? named : listTestFiles(cwd).short
  if (files.length === 0)
    throw new Error(
      `no test file is below ${cwd}, in ${testFolders(cwd).join(', ') || 'any folder of tests'}`,
    )
  return runTestFiles(files, { cwd, signal, afterFailure: removeAbandonedServers })
})
