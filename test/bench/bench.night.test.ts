// Every bench still works and yields its rows. Only a quiet machine can tell what the figures are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FOLLOW_PARENT } from '@payment-tracking/stack'
import { useServers } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import type { Report } from './report.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

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

t.test('a quick run of every bench yields rows of plausible figures', async t => {
  const { databaseUrl, redisUrl, natsUrl } = await useServers(t)
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, NATS_URL: natsUrl }
  const names = (await runBench(t, ['--list'], env)).trim().split('\n')
  // In a quick run these differ from `ingest` and `reads-10k` in their name alone.
  const alike = ['ingest-5m', 'reads-1m', 'reads-5m']
  t.same(
    alike.filter(name => !names.includes(name)),
    [],
  )
  const run = names.filter(name => !alike.includes(name))
  const json = join(t.testdir({}), 'report.json')
  const only = run.flatMap(name => ['--only', name])
  const output = await runBench(t, ['--quick', '--json', json, ...only], env)
  t.ok(output.includes(`\n| ${run[0]!} | `), 'the table is printed')
  const { rows, versions } = JSON.parse(readFileSync(json, 'utf8')) as Report
  t.match(versions, { Node: /^\d+\./, Postgres: /^\d+/, Redis: /^\d+\./, NATS: /^\d+\./ })
  t.same([...new Set(rows.map(({ bench }) => bench))].sort(), [...run].sort())
  for (const { bench, subject, measured, limit } of rows) {
    for (const { min, median, max } of [measured, ...(limit ? [limit.measured] : [])]) {
      t.ok(min >= 0 && min <= median && median <= max && max < Infinity, `${bench}: ${subject}`)
    }
  }
})
