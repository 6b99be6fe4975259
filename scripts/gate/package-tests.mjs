// The program of turbo's task `test`. By itself it runs the short tests of the package in whose folder it runs. For a
// run of the gate, which has run them already, it says with what result, so that turbo notes what passed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listTestFiles, packageOf } from './test-files.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = relative(ROOT, process.cwd())
const { TEST_RESULTS, TURBO_HASH } = process.env

if (TEST_RESULTS) {
  const { hash, passed } = JSON.parse(readFileSync(TEST_RESULTS, 'utf8'))[folder] ?? {}
  // A file that was edited meanwhile has another hash: what was tested is not what is there.
  if (hash === undefined || hash !== TURBO_HASH) process.exit(1)
  console.log(`${passed} assertions passed`)
} else {
  process.chdir(ROOT)
  const files = listTestFiles().short.filter(file => packageOf(file) === folder)
  const { status } = spawnSync('node', ['scripts/test.mjs', '--alone', ...files], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
