// npm run bench [-- --only NAME] [--quick] [--json FILE]: runs the benches of this folder, prints one table.
import { openServers } from '@payment-tracking/stack'
import { readdir, writeFile } from 'node:fs/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Measure, Row } from './bench.js'

const { values: flags } = parseArgs({
  options: { only: { type: 'string', multiple: true }, quick: { type: 'boolean' }, json: { type: 'string' } },
})

const files = (await readdir(import.meta.dirname)).filter(file => file.endsWith('.bench.ts')).sort()
const benches: Bench[] = []
for (const file of files) benches.push(((await import(`./${file}`)) as { bench: Bench }).bench)
const chosen = flags.only ? benches.filter(({ name }) => flags.only!.includes(name)) : benches
if (chosen.length === 0) {
  console.error(`no such bench: there are ${benches.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(
  `machine: ${machine}${flags.quick ? '\nquick run: the figures mean nothing, only that the benches work' : ''}\n`,
)

const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-bench-'))
const servers = await openServers({ dataDir, log: () => {} })
const rows: (Row & { bench: string })[] = []
try {
  for (const bench of chosen) {
    console.log(`${bench.name}: ${bench.about}`)
    const closers: (() => unknown)[] = []
    const say = (line: string) => console.log(`  ${line}`)
    try {
      const found = await bench.run({
        name: bench.name,
        quick: flags.quick ?? false,
        servers,
        say,
        teardown: close => closers.push(close),
      })
      rows.push(...found.map(row => ({ bench: bench.name, ...row })))
    } finally {
      for (const close of closers.reverse()) await close()
    }
  }
} finally {
  await servers.close()
  rmSync(dataDir, { recursive: true, force: true })
}

const round = (figure: number) =>
  figure >= 100 ? Math.round(figure).toLocaleString('en') : figure.toPrecision(3)
const spread = ({ median, min, max }: Measure) => `${round(median)} (${round(min)}–${round(max)})`
const ratio = (row: Row) => (row.limit ? (row.measured.median / row.limit.measured.median).toFixed(2) : '')
console.log(
  '\n| bench | subject | median (min–max) | unit | limit | median (min–max) | ratio |\n| --- | --- | --- | --- | --- | --- | --- |',
)
for (const row of rows) {
  const limit = row.limit ? `${row.limit.name} | ${spread(row.limit.measured)}` : ' | '
  console.log(
    `| ${row.bench} | ${row.subject} | ${spread(row.measured)} | ${row.unit} | ${limit} | ${ratio(row)} |`,
  )
}
for (const { subject, note } of rows) if (note) console.log(`\n${subject}: ${note}`)
if (flags.json) await writeFile(flags.json, JSON.stringify({ machine, rows }, null, 2))
