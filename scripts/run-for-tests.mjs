// `node scripts/run-for-tests.mjs FILE [ARGUMENT...]`: sets up like `npm test`, then runs a program of test/ (a bench, chaos,
// containers) with servers of its own, and exits with its code.
import { spawn } from 'node:child_process'
import { setUp } from './set-up.mjs'

const args = process.argv.slice(2)
try {
  if (!args.includes('--help')) await setUp(line => console.log(line))
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const program = spawn(process.execPath, ['--import', 'tsx', ...args], { stdio: 'inherit' })
// Ctrl-C reaches the program as well: it stops its servers, and this process ends with it.
process.on('SIGINT', () => {})
program.once('exit', code => process.exit(code ?? 1))
