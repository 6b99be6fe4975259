// The runner of test files, in repositories made up for it.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { birthOf } from '@payment-tracking/stack'
import { waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'

const RUNNER = fileURLToPath(new URL('../../scripts/test.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the runner in a repository. */
const runIn = (root: string, env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; output: string }>(resolve =>
    execFile(
      process.execPath,
      [RUNNER, '--alone'],
      { cwd: root, env: { ...process.env, TAP_TIMEOUT: '60', ...env } },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    ),
  )

/** A repository below this one, so that its test files find the packages. */
const repositoryOf = (t: Test, files: Record<string, string>) =>
  t.testdir({ services: { one: { test: files } }, packages: {} })

t.test('a run without a single test file fails, and says where it looked', async t => {
  const { code, output } = await runIn(repositoryOf(t, { 'sample.ts': '' }))
  t.equal(code, 1)
  t.match(output, /^no test file is below .*services\/one\/test/m)
})

t.test('a file that breaks before its first assertion counts as one failure and is named', async t => {
  const { code, output } = await runIn(repositoryOf(t, { 'bad.test.ts': 'throw new Error("broken")' }))
  t.equal(code, 1)
  t.match(output, /^ +not ok 1 - broken$/m)
  t.match(output, /^not ok services\/one\/test\/bad\.test\.ts[^]*^0 passed, 1 failed$/m)
})

t.test('the last line counts every assertion, those of subtests too', async t => {
  const good = `import t from 'tap'; t.test('outer', async t => { t.ok(1); t.test('inner', async t => t.ok(2)) })`
  const bad = `import t from 'tap'; t.ok(1); t.test('the sum', async t => t.equal(1, 2, 'one is two'))`
  const { code, output } = await runIn(repositoryOf(t, { 'good.test.ts': good, 'bad.test.ts': bad }))
  t.equal(code, 1)
  t.match(output, /^ok services\/one\/test\/good\.test\.ts \(.*2 assertions\)$/m)
  t.match(output, /^not ok services\/one\/test\/bad\.test\.ts \(.*1 of 2 assertions failed\)$/m)
  t.match(output, 'failed: the sum')
  t.match(output, /^3 passed, 1 failed\n$/m)
})

t.test(
  'files of one folder share a process, and what each opened is closed before the next begins',
  async t => {
    const first = `import t from 'tap'
    globalThis.open = process.pid
    t.teardown(() => { globalThis.open = undefined; globalThis.was = process.pid })
    t.test('later', async t => t.ok(globalThis.open))`
    const second = `import t from 'tap'
    t.equal(globalThis.was, process.pid)
    t.equal(globalThis.open, undefined)`
    const third = `// In a process of its own: nobody else may be here.
    import t from 'tap'
    t.equal(globalThis.was, undefined)`
    const files = { 'a.test.ts': first, 'b.test.ts': second, 'c.test.ts': third }
    const { code, output } = await runIn(repositoryOf(t, files))
    t.equal(code, 0, output)
    t.match(output, /^4 passed, 0 failed$/m)
  },
)

t.test('a file that breaks fails alone; after a file that ends the process, none counts as run', async t => {
  const good = (name: string) => `import t from 'tap'; t.test('good', async t => t.pass('${name}'))`
  const files = {
    'a.test.ts': 'throw new Error("planted")',
    'b.test.ts': good('b'),
    'c.test.ts': `import t from 'tap'; t.test('ends', async () => process.exit(0))`,
    'd.test.ts': good('d'),
  }
  const { code, output } = await runIn(repositoryOf(t, files))
  t.equal(code, 1)
  const [, b, ...others] = [...output.matchAll(/^(ok|not ok) services\/one\/test\/(\w)/gm)].map(
    ([, ok, name]) => [name, ok],
  )
  t.same(b, ['b', 'ok'])
  t.same(
    others,
    [
      ['c', 'not ok'],
      ['d', 'not ok'],
    ],
    output,
  )
  t.match(output, 'not run: the process had ended')
  t.match(output, /^1 passed, [3-9] failed$/m)
})

t.test('what fails outside of every file fails the run', async t => {
  const files = {
    'a.test.ts': `import t from 'tap'; t.pass()`,
    'b.test.ts': `import t from 'tap'; t.pass(); process.once('beforeExit', () => { process.exitCode = 3 })`,
  }
  const { code, output } = await runIn(repositoryOf(t, files))
  t.equal(code, 1)
  t.match(output, /^not ok services\/one\/test\/b\.test\.ts/m)
  t.match(output, 'ended with 3')
})

t.test('what nobody catches fails the test that runs, and is said with its place in the source', async t => {
  const script = `import t from 'tap'
    t.test('in time', async t => t.ok(1))
    t.test('thrown', async () => {
      setTimeout(() => { throw new Error('late') }, 1)
      await new Promise(done => setTimeout(done, 5_000))
    })
    t.test('rejected', async () => {
      void Promise.reject(new Error('lost'))
      await new Promise(done => setTimeout(done, 5_000))
    })`
  const { code, output } = await runIn(repositoryOf(t, { 'late.test.ts': script }))
  t.equal(code, 1)
  for (const [name, error, line] of [
    ['thrown', 'late', '4:32'],
    ['rejected', 'lost', '8:27'],
  ] as const) {
    t.match(output, new RegExp(`^ +# Subtest: ${name}\n +not ok 1 - ${error}$`, 'm'))
    t.match(output, `(services/one/test/late.test.ts:${line})`)
  }
  t.match(output, /^1 passed, [1-9] failed\n$/m)
})

t.test('a file that exits with 0 but never ends its plan fails', async t => {
  const script = `console.log('TAP version 14'); console.log('1..2'); console.log('ok 1'); process.exit(0)`
  const { code, output } = await runIn(repositoryOf(t, { 'short.test.ts': script }))
  t.equal(code, 1)
  t.match(output, /^not ok services\/one\/test\/short\.test\.ts/m)
})

t.test('upgrade guard: tap tells its parent a longer time limit of a file', async t => {
  const script = `
    import t from 'tap'
    t.setTimeout(60_000)
    t.test('slow', async t => { await new Promise(done => setTimeout(done, 2_500)); t.ok(1) })`
  const { code, output } = await runIn(repositoryOf(t, { 'slow.test.ts': script }), { TAP_TIMEOUT: '1' })
  t.equal(code, 0, output)
})

t.test('a file killed by its time limit leaves no service, no child and no server behind', async t => {
  const notes = join(t.testdir({}), 'pids.json')
  const script = `
    import { spawn } from 'node:child_process'
    import { writeFileSync } from 'node:fs'
    import { openPrivateServers, startStack } from '${join(ROOT, 'infra/testkit/dist/index.js')}'
    import root from 'tap'
    root.test('hangs', async t => {
      const child = spawn('sleep', ['600'])
      const servers = await openPrivateServers(t)
      const stack = await startStack(t)
      const { services } = stack.describe()
      writeFileSync(process.env.NOTES, JSON.stringify([
        child.pid, stack.pid,
        ...Object.values(servers.private).map(({ pid }) => pid),
        ...services.map(service => service.process.pid),
      ]))
      root.setTimeout(1)
      // Stopped, the file cannot obey tap's own time limit: the runner has to kill it.
      process.kill(process.pid, 'SIGSTOP')
    })`
  const { code, output } = await runIn(repositoryOf(t, { 'hangs.test.ts': script }), { NOTES: notes })
  t.equal(code, 1)
  t.match(output, 'killed: it did not end by itself')
  const pids = JSON.parse(await readFile(notes, 'utf8')) as number[]
  t.ok(pids.length >= 11, `${pids.length} processes were started`)
  await waitFor(() => pids.every(pid => birthOf(pid) === undefined), { what: 'the end of all of them' })
})

t.test('when a run or the npm that started it is killed, nothing goes on', async t => {
  const script = `
    import { spawn } from 'node:child_process'
    import { renameSync, writeFileSync } from 'node:fs'
    import { openPrivateServers } from '${join(ROOT, 'infra/testkit/dist/index.js')}'
    import t from 'tap'
    t.test('goes on', async t => {
      const servers = await openPrivateServers(t)
      const child = spawn('sleep', ['600'])
      const pids = [process.ppid, process.pid, child.pid, ...Object.values(servers.private).map(({ pid }) => pid)]
      writeFileSync(process.env.NOTES + '.new', JSON.stringify(pids))
      renameSync(process.env.NOTES + '.new', process.env.NOTES)
      await new Promise(done => setTimeout(done, 600_000))
    })`
  for (const killed of ['npm', 'the run']) {
    const notes = join(t.testdir({}), 'pids.json')
    const root = repositoryOf(t, { 'long.test.ts': script })
    // The second command keeps the shell, which stands for npm.
    const npm = spawn('sh', ['-c', `${process.execPath} ${RUNNER} --alone; true`], {
      cwd: root,
      env: { ...process.env, npm_lifecycle_event: 'test', NOTES: notes },
      stdio: 'ignore',
    })
    t.teardown(() => npm.kill('SIGKILL'))
    await waitFor(() => existsSync(notes), { what: 'a file that runs' })
    const pids = JSON.parse(await readFile(notes, 'utf8')) as number[]
    t.equal(pids.filter(pid => birthOf(pid) !== undefined).length, 6)
    process.kill(killed === 'npm' ? npm.pid! : pids[0]!, 'SIGKILL')
    await waitFor(() => pids.every(pid => birthOf(pid) === undefined), {
      what: `the end of all after ${killed}`,
    })
  }
})
