// `npm run chaos [-- --seconds N] [--seed S] [--histories]`, `npm run soak` and `npm run chaos:self-test`: sets up like npm start, then
// breaks everything on servers of its own.
import { spawn } from 'node:child_process'
import { setUp } from './set-up.mjs'

const USAGE = `usage: npm run chaos -- [--seconds N] [--seed S] [--histories]
       npm run chaos -- self-test [--only NAME]
  --seconds N      how long faults happen (default 60)
  --seed S         the same faults again
  --fault-every N  milliseconds between faults (default 900)
  --promote        a standby of Postgres takes over; --sentinel: one of Redis
  --histories      keeps what clients saw in .data/histories, and judges it
  --plan           prints the faults alone
  self-test        breaks the code on purpose, and expects each break to be noticed`

const [first, ...rest] = process.argv.slice(2)
const [file, args] = first === 'self-test' ? ['self-test', rest] : ['run', process.argv.slice(2)]
if (process.argv.includes('--help')) {
  console.log(USAGE)
  process.exit(0)
}
try {
  await setUp(line => console.log(line))
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const run = spawn(process.execPath, ['--import', 'tsx', `test/chaos/${file}.ts`, ...args], {
  stdio: 'inherit',
})
// Ctrl-C reaches the run as well, so this process ends with it.
process.on('SIGINT', () => {})
run.once('exit', code => process.exit(code ?? 1))
