// `npm run bench -- --against DIR`: measures the rows of the gate in this checkout and in the one in DIR, which is installed and built.
// They take turns, so a slow machine slows both. Prints each row's CPU for an operation in both, and the ratio.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import { USAGE } from './usage.js'

const { values: flags } = readArguments({
  usage: USAGE,
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: [] },
  },
})

const [here, there] = [process.cwd(), resolve(flags.against ?? '')]
const rounds = Number(flags.rounds)
if (!existsSync(join(there, 'infra/stack/dist'))) {
  console.error(`${there} is not built: run "npm ci" and "npm run build" there, or name another checkout`)
  process.exit(1)
}
if (!Number.isInteger(rounds) || rounds < 1) refuseArguments(USAGE, '--rounds is a whole number from 1')

/** @returns the CPU of each row for an operation, in µs. A row that fell counts too: here the tables do not matter. */
function measure(checkout: string): Map<string, number> {
  const only = flags.only.flatMap(row => ['--only', row])
  const args = ['--import', 'tsx', 'test/bench/main.ts', '--gate', '--kept', '0.001', ...only]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' })
  // As gate/main.ts says each row; a row that was measured again counts as measured last.
  const rows = [...stdout.matchAll(/^ *\d+ s {2}(.+): [\d.]+ of the limit \(([\d.]+) and [\d.]+ µs\)$/gm)]
  if (rows.length === 0) throw new Error(`the benches of ${checkout} failed:\n${stdout}${stderr}`)
  return new Map(rows.map(([, name, cpu]) => [name!, Number(cpu)]))
}

const found: { here: Map<string, number>; there: Map<string, number> }[] = []
for (let round = 1; round <= rounds; round++) {
  console.log(`round ${round} of ${rounds}`)
  found.push({ there: measure(there), here: measure(here) })
}
const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1]!
console.log(
  `\nmedians of ${rounds} rounds in turns\n| row | here, µs | there, µs | ratio |\n| --- | --- | --- | --- |`,
)
for (const name of found[0]!.here.keys()) {
  const [ours, theirs] = (['here', 'there'] as const).map(side =>
    median(found.flatMap(round => round[side].get(name) ?? [])),
  )
  console.log(
    `| ${name} | ${ours} | ${theirs ?? 'no such row'} | ${theirs ? (ours! / theirs).toFixed(2) : ''} |`,
  )
}
