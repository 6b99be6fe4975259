// A bench of each kind still works and yields its rows (all of them: `npm run bench -- --quick`); what the figures are is
// for a quiet machine to say.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FOLLOW_PARENT } from '@payment-tracking/stack'
import { useServers } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { mergeReports, renderTable, type Report } from './bench/report.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Runs the benches over an otherwise empty environment. @returns what it printed */
async function runBench(t: Test, flags: string[], env: Record<string, string>): Promise<string> {
  const child = spawn(
    process.execPath,
    [...FOLLOW_PARENT, '--import', 'tsx', 'test/bench/run.ts', ...flags],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  t.teardown(() => child.kill())
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  const [code] = (await once(child, 'close')) as [number | null]
  t.equal(code, 0, code === 0 ? flags.join(' ') : output)
  return output
}

t.setTimeout(300_000)

t.test('a quick run of a bench of each kind yields rows of plausible figures', async t => {
  const { databaseUrl, redisUrl, natsUrl } = await useServers(t)
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, NATS_URL: natsUrl }
  const listed = (await runBench(t, ['--list'], env)).trim().split('\n')
  const names = ['end-to-end', 'ingest-latency', 'reads-10k', 'realtime-fanout', 'webhooks']
  t.same(
    names.filter(name => !listed.includes(name)),
    [],
    'one of each kind: the others use the same parts',
  )
  const json = join(t.testdir({}), 'report.json')
  const output = await runBench(
    t,
    ['--quick', '--json', json, ...names.flatMap(name => ['--only', name])],
    env,
  )
  t.ok(output.includes(`\n| ${names[0]!} | `), 'the table is printed')
  const { rows, versions } = JSON.parse(readFileSync(json, 'utf8')) as Report
  t.match(versions, { Node: /^\d+\./, Postgres: /^\d+/, Redis: /^\d+\./, NATS: /^\d+\./ })
  t.same([...new Set(rows.map(({ bench }) => bench))].sort(), [...names].sort())
  for (const { bench, subject, measured, limit } of rows) {
    for (const { min, median, max } of [measured, ...(limit ? [limit.measured] : [])]) {
      t.ok(min >= 0 && min <= median && median <= max && max < Infinity, `${bench}: ${subject}`)
    }
  }
})

t.test('of reports of one bench the latest counts', async t => {
  const measured = { median: 1, min: 1, max: 1 }
  const row = (bench: string, subject: string) => ({
    bench,
    subject,
    unit: 's',
    largerIsBetter: false,
    measured,
  })
  const report = (at: string, ...rows: Report['rows']): Report => ({
    at,
    quick: false,
    machine: 'm',
    versions: {},
    postgresSettings: {},
    rows,
  })
  const merged = mergeReports([
    report('2026-02', row('a', 'new')),
    report('2026-01', row('a', 'old'), row('a', 'gone'), row('b', 'only')),
  ])
  t.same(
    merged.rows.map(({ bench, subject }) => `${bench} ${subject}`),
    ['a new', 'b only'],
  )
  t.match(renderTable(merged.rows), /^\| bench .*\n\| --- .*\n\| a \| new \| 1\.00 \| s \|/)
})
