// npm run bench: sets up like npm start, then measures on servers of its own. With --against DIR, in turns with another
// checkout.
import { spawnSync } from 'node:child_process'
import { setUp } from './set-up.mjs'

await setUp(line => console.log(line))
const args = process.argv.slice(2)
const isAgainst = args.some(arg => arg === '--against' || arg.startsWith('--against='))
const script = isAgainst ? 'test/bench/against.ts' : 'test/bench/run.ts'
const run = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], { stdio: 'inherit' })
process.exit(run.status ?? 1)
