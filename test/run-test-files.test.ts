import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const RUNNER = fileURLToPath(new URL('../scripts/run-test-files.mjs', import.meta.url))

/** Runs the runner in a repository of these files. */
const runIn = (root: string) =>
  new Promise<{ code: unknown; output: string }>(resolve =>
    execFile(process.execPath, [RUNNER], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    ),
  )

t.test('a run without a single test file fails, and says where it looked', async t => {
  const root = t.testdir({ services: { one: { test: { 'sample.ts': '' } } }, packages: {} })
  const { code, output } = await runIn(root)
  t.equal(code, 1)
  t.match(output, /^not ok 1 - no test file is below .*services\/one\/test/m)
})

t.test('a run fails with a file that breaks before its first assertion, and names it', async t => {
  const test = { 'bad.test.ts': 'throw new Error("broken")' }
  const root = t.testdir({ services: { one: { test } }, packages: {} })
  const { code, output } = await runIn(root)
  t.equal(code, 1)
  t.match(output, /Error: broken[^]*^not ok services\/one\/test\/bad\.test\.ts/m)
})
