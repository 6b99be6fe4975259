// `npm run test:containers`: sets up like npm test, then builds and runs the images (test/containers).
import { spawn } from 'node:child_process'
import { setUp } from './set-up.mjs'

if (process.argv.includes('--help')) {
  console.log(
    'usage: npm run test:containers   images, compose, upgrades and pods for real; needs root on Debian',
  )
  process.exit(0)
}
try {
  await setUp(line => console.log(line))
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const args = ['--import', 'tsx', 'test/containers/main.ts', ...process.argv.slice(2)]
const tests = spawn(process.execPath, args, { stdio: 'inherit' })
// Ctrl-C reaches the tests as well, and they end what they started.
process.on('SIGINT', () => {})
tests.once('exit', code => process.exit(code ?? 1))
