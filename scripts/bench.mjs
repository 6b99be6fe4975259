// npm run bench: sets up like npm start, then measures on servers of its own. With --against DIR, in turns with another
// checkout. With --gate, one short row of each kind, compared with test/bench/gate/table.json.
import { spawnSync } from 'node:child_process'
import { setUp } from './set-up.mjs'

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
