// `npm run bench -- --against DIR`: runs the benches of this checkout and of the one in DIR, which is installed and built. They take
// turns, so a slow machine slows both. Prints each row of both, and the ratio.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import { measureOf } from './bench.js'
import { keyOf, renderTable, type Report, type ReportedRow } from './report.js'
import { USAGE } from './usage.js'

const { values: flags } = readArguments({
  usage: USAGE,
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: ['ingest'] },
    quick: { type: 'boolean', default: false },
  },
})

const [here, there] = [process.cwd(), resolve(flags.against ?? '')]
const rounds = Number(flags.rounds)
if (!existsSync(join(there, 'infra/stack/dist'))) {
  console.error(`${there} is not built: run "npm ci" and "npm run build" there, or name another checkout`)
  process.exit(1)
}
if (!Number.isInteger(rounds) || rounds < 1) refuseArguments(USAGE, '--rounds is a whole number from 1')

const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-against-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** One run of the benches. Its servers keep their data for the next run of the same checkout. */
function runBenches(checkout: string, name: string): ReportedRow[] {
  const json = join(folder, `${name}.json`)
  const args = [
    '--import',
    'tsx',
    'test/bench/run.ts',
    '--json',
    json,
    '--data',
    join(folder, `data-${name}`),
  ]
  const chosen = flags.only.flatMap(bench => ['--only', bench])
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...args, ...chosen, ...(flags.quick ? ['--quick'] : [])],
    { cwd: checkout, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`the benches of ${checkout} failed:\n${stdout}${stderr}`)
  return (JSON.parse(readFileSync(json, 'utf8')) as Report).rows
}

const figures = { here: new Map<string, number[]>(), there: new Map<string, number[]>() }
let rows: ReportedRow[] = []
for (let round = 1; round <= rounds; round++) {
  for (const [side, checkout] of [
    ['there', there],
    ['here', here],
  ] as const) {
    console.log(`round ${round} of ${rounds}: ${checkout}`)
    const found = runBenches(checkout, side)
    if (side === 'here') rows = found
    for (const [key, row] of new Map(found.map(row => [keyOf(row), row])))
      figures[side].set(key, [...(figures[side].get(key) ?? []), row.measured.median])
  }
}
const compared = [...new Map(rows.map(row => [keyOf(row), row]))].map(([key, row]): ReportedRow => {
  const other = figures.there.get(key)
  const measured = measureOf(figures.here.get(key)!)
  const { limit: _, ...rest } = row
  if (!other) return { ...rest, measured, note: 'a row of this checkout alone' }
  return { ...row, measured, limit: { name: 'the other checkout', measured: measureOf(other) } }
})
console.log(`\nmedians of ${rounds} rounds in turns\n${renderTable(compared)}`)
