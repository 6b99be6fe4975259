// The runner of test files, in repositories made up for it.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { birthOf } from '@payment-tracking/stack'
import { waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { ROOT } from '../repository.js'

const RUNNER = join(ROOT, 'scripts/test.mjs')

/** A repository below this one, so that its test files find the packages. */
const repositoryOf = (t: Test, files: Record<string, string>) =>
  t.testdir({ services: { one: { test: files } }, packages: {} })

/** Runs the runner in a repository of these files. */
const run = (t: Test, files: Record<string, string>, env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; output: string }>(resolve =>
    execFile(
      process.execPath,
      [RUNNER, '--alone'],
      { cwd: repositoryOf(t, files), env: { ...process.env, TAP_TIMEOUT: '60', ...env } },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    ),
  )

const tap = (script: string) => `import t from 'tap'; ${script}`

/** Each run is red, and says this. */
const RED: Record<string, [files: Record<string, string>, ...said: RegExp[]]> = {
  'a run without a single test file': [{ 'sample.ts': '' }, /^no test file is below .*services\/one\/test/m],
  'a file that breaks before its first assertion': [
    { 'bad.test.ts': 'throw new Error("broken")' },
    /^not ok services\/one\/test\/bad\.test\.ts[^]*^0 passed, 1 failed$/m,
  ],
  'one of four assertions, in subtests too': [
    {
      'good.test.ts': tap(`t.test('outer', async t => { t.ok(1); t.test('inner', async t => t.ok(2)) })`),
      'bad.test.ts': tap(`t.ok(1); t.test('the sum', async t => t.equal(1, 2, 'one is two'))`),
    },
    /^ok services\/one\/test\/good\.test\.ts \(.*2 assertions\)$/m,
    /^not ok services\/one\/test\/bad\.test\.ts \(.*1 of 2 assertions failed\)$/m,
    /failed: the sum/,
    /^3 passed, 1 failed\n$/m,
  ],
  'a file that breaks, alone, and what comes after a file that ends the process': [
    {
      'a.test.ts': 'throw new Error("planted")',
      'b.test.ts': tap('t.pass()'),
      'c.test.ts': tap(`t.test('ends', async () => process.exit(0))`),
      'd.test.ts': tap('t.pass()'),
    },
    /^not ok services\/one\/test\/a[^]*^ok services\/one\/test\/b[^]*^not ok services\/one\/test\/c/m,
    /^not ok services\/one\/test\/d/m,
    /not run: the process had ended/,
    /^1 passed, [3-9] failed$/m,
  ],
  'what fails outside of every file': [
    {
      'a.test.ts': tap('t.pass()'),
      'b.test.ts': tap(`t.pass(); process.once('beforeExit', () => { process.exitCode = 3 })`),
    },
    /^not ok services\/one\/test\/b\.test\.ts/m,
    /ended with 3/,
  ],
  'what nobody catches': [
    {
      'late.test.ts': `import t from 'tap'
        t.test('in time', async t => t.ok(1))
        t.test('thrown', async () => {
          setTimeout(() => { throw new Error('late') }, 1)
          await new Promise(done => setTimeout(done, 5_000))
        })`,
    },
    /^ +# Subtest: thrown\n +not ok 1 - late$/m,
    /\(services\/one\/test\/late.test.ts:4:36\)/,
    /^1 passed, [1-9] failed\n$/m,
  ],
  'a file that exits with 0 and never ends its plan': [
    { 'short.test.ts': `console.log('TAP version 14\\n1..2\\nok 1'); process.exit(0)` },
    /^not ok services\/one\/test\/short\.test\.ts/m,
  ],
}
for (const [what, [files, ...said]] of Object.entries(RED))
  t.test(`red: ${what}`, async t => {
    const { code, output } = await run(t, files)
    t.equal(code, 1)
    for (const each of said) t.match(output, each)
  })

t.test('files of one folder share a process; what each opened is closed before the next', async t => {
  const { code, output } = await run(t, {
    'a.test.ts': `import t from 'tap'
        globalThis.open = process.pid
        t.teardown(() => { globalThis.open = undefined; globalThis.was = process.pid })
        t.test('later', async t => t.ok(globalThis.open))`,
    'b.test.ts': tap('t.equal(globalThis.was, process.pid); t.equal(globalThis.open, undefined)'),
    'c.test.ts': `// In a process of its own: nobody else may be here.
        ${tap('t.equal(globalThis.was, undefined)')}`,
  })
  t.equal(code, 0, output)
  t.match(output, /^4 passed, 0 failed$/m)
})

/** Starts a child and servers, notes their processes, and goes on. */
const GOES_ON = `
  import { spawn } from 'node:child_process'
  import { renameSync, writeFileSync } from 'node:fs'
  import { openPrivateServers, startStack } from '${join(ROOT, 'infra/testkit/dist/index.js')}'
  import root from 'tap'
  root.test('goes on', async t => {
    const servers = await openPrivateServers(t)
    const pids = [process.ppid, process.pid, spawn('sleep', ['600']).pid]
    pids.push(...Object.values(servers.private).map(({ pid }) => pid))
    if (process.env.HANGS) {
      const stack = await startStack(t)
      pids.push(stack.pid, ...stack.describe().services.map(service => service.process.pid))
    }
    writeFileSync(process.env.NOTES + '.new', JSON.stringify(pids))
    renameSync(process.env.NOTES + '.new', process.env.NOTES)
    root.setTimeout(process.env.HANGS ? 1 : 600_000)
    // Stopped, the file cannot obey tap's own time limit: the runner has to kill it.
    if (process.env.HANGS) process.kill(process.pid, 'SIGSTOP')
    await new Promise(done => setTimeout(done, 600_000))
  })`
const isAlive = (pid: number) => birthOf(pid) !== undefined
const readPids = async (notes: string) => JSON.parse(await readFile(notes, 'utf8')) as number[]

t.test('a file killed by its time limit leaves no service, no child and no server behind', async t => {
  const notes = join(t.testdir({}), 'pids.json')
  const { code, output } = await run(t, { 'hangs.test.ts': GOES_ON }, { NOTES: notes, HANGS: 'yes' })
  t.equal(code, 1)
  t.match(output, 'killed: it did not end by itself')
  const pids = await readPids(notes)
  t.ok(pids.length >= 13, `${pids.length} processes were started`)
  await waitFor(() => !pids.some(isAlive), { what: 'the end of all of them' })
})

t.test('when a run or the npm that started it is killed, nothing goes on', async t => {
  for (const killed of ['npm', 'the run']) {
    const notes = join(t.testdir({}), 'pids.json')
    // The second command keeps the shell, which stands for npm.
    const npm = spawn('sh', ['-c', `${process.execPath} ${RUNNER} --alone; true`], {
      cwd: repositoryOf(t, { 'long.test.ts': GOES_ON }),
      env: { ...process.env, npm_lifecycle_event: 'test', NOTES: notes },
      stdio: 'ignore',
    })
    t.teardown(() => npm.kill('SIGKILL'))
    await waitFor(() => existsSync(notes), { what: 'a file that runs' })
    const pids = await readPids(notes)
    t.equal(pids.filter(isAlive).length, 6)
    process.kill(killed === 'npm' ? npm.pid! : pids[0]!, 'SIGKILL')
    await waitFor(() => !pids.some(isAlive), { what: `the end of all after ${killed}` })
  }
})
