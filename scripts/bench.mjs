// npm run bench: sets up like npm start, then measures on servers of its own. With --against DIR, in turns with another
// checkout. With --gate, one short row of each kind, compared with test/bench/gate/table.json.
import { spawnSync } from 'node:child_process'
import { setUp } from './set-up.mjs'

const USAGE = `usage: npm run bench -- [--only NAME] [--quick] [--json FILE] [--data DIR]
  --list          prints the names of the benches
  --only NAME     one bench; can be given several times (default: all, more than an hour)
  --quick         does the bench still work? its figures mean nothing
  --json FILE     writes the figures too
  --data DIR      keeps filled databases for the next run
  --against DIR   in turns with another checkout that is built
  --gate          one short row of each kind, compared with test/bench/gate/table.json`

if (process.argv.includes('--help')) {
  console.log(USAGE)
  process.exit(0)
}
await setUp(line => console.log(line))
// The bench stops its servers itself, and this program waits for that.
process.on('SIGINT', () => {})
const args = process.argv.slice(2)
const isAgainst = args.some(arg => arg === '--against' || arg.startsWith('--against='))
const script = args.includes('--gate') ? 'gate/main.ts' : isAgainst ? 'against.ts' : 'run.ts'
const run = spawnSync(process.execPath, ['--import', 'tsx', `test/bench/${script}`, ...args], {
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
