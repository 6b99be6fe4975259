// What `npm start` and `npm test` do first, on a fresh clone and on every later run: install when the lock
// file changed, generate, build. Plain JavaScript without dependencies: nothing is installed yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LOCK = join(ROOT, 'package-lock.json')
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json')
const STAMP = join(ROOT, 'node_modules/.cache/payment-tracking/installed')

/** Runs a program and shows what it says only when it fails (or at once, when it is worth watching). */
export function run(file, args, { show = false, env = {}, signal } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      signal,
    })
    let output = ''
    child.stdout?.on('data', chunk => (output += chunk))
    child.stderr?.on('data', chunk => (output += chunk))
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (code === 0) return resolve()
      reject(new Error(`${output}${[file, ...args].join(' ')} ended with ${signal ?? `exit code ${code}`}`))
    })
  })
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(`Node.js 20.19 or later is needed; this is ${process.versions.node} (see .nvmrc)`)
}

/** Whether what is installed is what the lock file says. */
function isInstalled(hash) {
  if (!existsSync(INSTALLED)) return false
  if (existsSync(STAMP)) return readFileSync(STAMP, 'utf8') === hash
  // Somebody else ran npm: it was after the last change of the lock file, or it does not count.
  return statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs
}

async function install(log) {
  const hash = createHash('sha256').update(readFileSync(LOCK)).digest('hex')
  if (!isInstalled(hash)) {
    log('installing dependencies (npm ci) …')
    // npm starts its scripts with its own path in the environment; without npm, PATH has to do.
    const npm = process.env.npm_execpath
    const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--prefer-offline']
    await (npm ? run(process.execPath, [npm, ...args]) : run('npm', args))
  }
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, hash)
}

async function build(log) {
  log('building …')
  await run(process.execPath, ['node_modules/turbo/bin/turbo', 'run', 'build', '--output-logs=errors-only'], {
    env: { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', NODE_ENV: 'development' },
  })
}

/** @throws Error whose message says what failed and how */
export async function setUp(log) {
  requireNode()
  await install(log)
  await build(log)
}
