// Installs the dependencies when the lock file has changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, run, withProgress } from './run.mjs'

const LOCK = join(ROOT, 'package-lock.json')
const MODULES = join(ROOT, 'node_modules')
const INSTALLED = join(MODULES, '.package-lock.json')
const STAMP = join(MODULES, '.cache/payment-tracking/installed')

/** Whether what is installed is what the lock file says. */
function isInstalled(hash) {
  if (!existsSync(INSTALLED)) return false
  if (existsSync(STAMP)) return readFileSync(STAMP, 'utf8') === hash
  // npm was run by hand. That counts when it was after the last change of the lock file.
  return statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs
}

/** How many packages lie in node_modules already: npm unpacks all of them there, then says that it is done. */
function countInstalled() {
  if (!existsSync(MODULES)) return 0
  const names = readdirSync(MODULES).filter(name => !name.startsWith('.'))
  const scopes = names.filter(name => name.startsWith('@'))
  return names.length - scopes.length + scopes.flatMap(scope => readdirSync(join(MODULES, scope))).length
}

/** @throws Error with what npm said */
export async function install(log) {
  const text = readFileSync(LOCK, 'utf8')
  const hash = createHash('sha256').update(text).digest('hex')
  if (!isInstalled(hash)) {
    const total = Object.keys(JSON.parse(text).packages).filter(path =>
      /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path),
    ).length
    // npm starts its scripts with its own path in the environment; without npm, PATH has to do.
    const npm = process.env.npm_execpath
    const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--prefer-offline']
    await withProgress(
      log,
      'installing dependencies (npm ci)',
      () => `${countInstalled()} of about ${total} packages`,
      () => (npm ? run(process.execPath, [npm, ...args]) : run('npm', args)),
    )
  }
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, hash)
}
