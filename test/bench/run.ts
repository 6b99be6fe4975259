// npm run bench [-- --list] [--only NAME] [--quick] [--json FILE] [--data DIR]: runs the benches of this folder, prints
// one table. `--data` keeps the servers' data in a directory, so that filled databases are made once. Servers of
// your own are used when DATABASE_URL, REDIS_URL and NATS_URL name them.
import { openServers } from '@payment-tracking/stack'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench } from './bench.js'
import { describeMachine } from './describe-machine.js'
import { renderMachine, renderTable, type Report } from './report.js'

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    data: { type: 'string' },
    list: { type: 'boolean' },
  },
})

const files = (await readdir(import.meta.dirname)).filter(file => file.endsWith('.bench.ts')).sort()
const benches: Bench[] = []
for (const file of files) benches.push(((await import(`./${file}`)) as { bench: Bench }).bench)
if (flags.list) {
  console.log(benches.map(({ name }) => name).join('\n'))
  process.exit(0)
}
const chosen = flags.only ? benches.filter(({ name }) => flags.only!.includes(name)) : benches
if (chosen.length === 0) {
  console.error(`no such bench: there are ${benches.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const { DATABASE_URL: postgres, REDIS_URL: redis, NATS_URL: nats } = process.env
const dataDir = flags.data ?? mkdtempSync(join(tmpdir(), 'payment-tracking-bench-'))
const servers = await openServers({ dataDir, urls: { postgres, redis, nats }, log: () => {} })
const report: Report = {
  at: new Date().toISOString(),
  quick: flags.quick,
  ...(await describeMachine(servers)),
  rows: [],
}
console.log(`machine: ${renderMachine(report)}`)
if (flags.quick) console.log('quick run: the figures mean nothing, only that the benches work')
const save = () => flags.json && writeFile(flags.json, `${JSON.stringify(report, null, 2)}\n`)
try {
  for (const bench of chosen) {
    console.log(`\n${bench.name}: ${bench.about}`)
    const closers: (() => unknown)[] = []
    const startedAt = performance.now()
    const say = (line: string) =>
      console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(3)} s  ${line}`)
    try {
      const found = await bench.run({
        name: bench.name,
        quick: flags.quick,
        servers,
        say,
        teardown: close => closers.push(close),
      })
      report.rows.push(...found.map(row => ({ bench: bench.name, ...row })))
      // What was measured stays, also when a later bench fails.
      await save()
    } finally {
      for (const close of closers.reverse()) await close()
    }
    say('done')
  }
} finally {
  await servers.close()
  if (flags.data === undefined) rmSync(dataDir, { recursive: true, force: true })
}
console.log(`\n${renderTable(report.rows)}`)
