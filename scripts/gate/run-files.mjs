// Stands for tap in bundles of test files: files of one folder run in one process, one after the other, each as a subtest of
// tap's root. The subtest is the `t` that the file imports.
import root from 'tap'
import { readCpuSeconds } from './cpu-seconds.mjs'

/** Importers see each change. */
let t = root
export { t as default }

/** How long a file may take unless it asks for more with `t.setTimeout`; the runner sets it. */
const TIMEOUT_MS = Number(process.env.TAP_TIMEOUT) * 1_000

/** @param files how to load each file, by its name */
export async function runFiles(files) {
  for (const [name, load] of Object.entries(files)) {
    const before = readCpuSeconds()
    root.setTimeout(TIMEOUT_MS)
    await root.test(name, test => {
      // tap tells the runner the time limit of its root alone.
      test.setTimeout = ms => root.setTimeout(ms)
      t = test
      return load()
    })
    root.comment(`cpu=${(readCpuSeconds() - before).toFixed(2)}`)
  }
}
