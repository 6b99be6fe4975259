// `node scripts/run-test-files.mjs [FILE...]`: runs test files side by side, all of them when none is named. A line for
// each that has ended goes to stderr, one TAP report to stdout. tap's own runner would compile each file anew with
// ts-node and put a recorder of imports into every process that a test starts: a file of a few assertions takes
// 0.7 s without it and 1.5 to 3 s with it.
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

/** What one file may take unless it asks for more; tap's own name for it. */
const { TAP_TIMEOUT = '120' } = process.env

/** tap passes its recorder on by NODE_OPTIONS; `env` becomes Node: its pid, and whoever gets a signal. */
const BARE_NODE = ['-u', 'NODE_OPTIONS', process.execPath]

// Tests of the whole system take longest: the short ones fill what they leave idle.
const folders = [
  'test',
  'infra/stack/test',
  ...['services', 'packages'].flatMap(parent => readdirSync(parent).map(name => join(parent, name, 'test'))),
]
const all = () =>
  folders
    .filter(folder => existsSync(folder))
    .flatMap(folder => readdirSync(folder, { recursive: true }).map(name => join(folder, name)))
    .filter(file => file.endsWith('.test.ts') && !file.includes('node_modules'))

async function runFile(file) {
  const running = t.spawn('/usr/bin/env', [...BARE_NODE, '--enable-source-maps', '--import', 'tsx', file], {
    name: file,
    buffered: true,
    timeout: Number(TAP_TIMEOUT) * 1_000,
    env: { ...process.env, TAP_TIMEOUT },
    at: null,
  })
  const results = await running
  const seconds = (running.subtest.time / 1_000).toFixed(1)
  console.error(`${results?.ok ? 'ok' : 'not ok'} ${file} (${seconds} s)`)
}

const named = process.argv.slice(2)
const files = named.length > 0 ? named : all()
t.jobs = Number(process.env.TEST_JOBS ?? availableParallelism())
t.setTimeout(0)
// A plan of none would pass.
if (files.length === 0)
  t.fail(`no test file is below ${process.cwd()}, in ${folders.join(', ')}`, { at: null })
else t.plan(files.length)
for (const file of files) void runFile(file)
