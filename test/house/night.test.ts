// The night goes on past a failure, and ends with a table of all steps.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { ROOT } from '../repository.js'

/** Servers start for every step but this one. */
const BROKEN = 'no servers'

t.test('each failure is followed by the other steps, and the table tells how to repeat it', async t => {
  const folder = t.testdir({
    'good.test.ts': `import t from 'tap'; t.equal(process.env.SEED, '7')`,
    'bad.test.ts': `import t from 'tap'; t.equal(process.env.RUNS, '5'); t.fail('planted')`,
  })
  const [good, bad] = ['good', 'bad'].map(name => relative('', join(folder, `${name}.test.ts`)))
  const env = { SEED: '7', RUNS: '5' }
  const steps = [
    { name: 'mixed', files: [good, bad], env },
    { name: 'script', script: 'chaos', args: ['--no-such-flag'], env },
    { name: BROKEN, files: [good], env },
    { name: 'last', files: [good], env, minutes: 2 },
  ]
  const table = join(folder, 'new/night.md')
  const program = `
    import { runNight } from '${ROOT}scripts/gate/run-night.mjs'
    let opened = 0
    const withServers = async use => {
      if ((opened += 1) === 3) throw new Error('Postgres does not start')
      return await use({})
    }
    const { signal } = new AbortController()
    const results = await runNight(${JSON.stringify(steps)}, { table: '${table}', withServers, signal })
    console.log(JSON.stringify(results.map(({ passed, failed }) => [passed, failed])))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  const printed = stdout.trimEnd().split('\n')
  t.equal(printed.pop(), '[[2,1],[0,1],[0,1],[1,0]]', 'every step was run')
  const written = readFileSync(table, 'utf8')
  t.ok(printed.join('\n').endsWith(`\n${written}`), 'the table is printed last')
  const [head, , ...rows] = written.trimEnd().split('\n')
  t.equal(head, '| step | result | time | CPU | seed | again |')
  const again = [
    [/^\| mixed \| \*\*1 failed\*\* \| /, `SEED=7 RUNS=5 npm test -- ${bad}`],
    [/^\| script \| \*\*1 failed\*\* \| /, 'npm run chaos -- --no-such-flag'],
    [/^\| no servers \| \*\*Postgres does not start\*\* \| /, `SEED=7 RUNS=5 npm test -- ${good}`],
  ] as const
  for (const [at, [begin, command]] of again.entries()) {
    t.match(rows[at], begin)
    t.ok(rows[at]!.endsWith(` | 7 | \`${command}\` |`), command)
    t.ok(printed.includes(`again: ${command}`), 'at once, too')
  }
  t.match(rows[3], /^\| last \| ok \| (\d:\d\d min \| ){2}7 \| – \|$/)
})
