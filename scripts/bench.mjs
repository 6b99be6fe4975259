// npm run bench: sets up like npm start, then measures on servers of its own.
import { spawnSync } from 'node:child_process'
import { setUp } from './set-up.mjs'

await setUp(line => console.log(line))
const run = spawnSync(process.execPath, ['--import', 'tsx', 'test/bench/run.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
