// Installs the dependencies when the lock file has changed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, withProgress } from './run.mjs'

const LOCK = join(ROOT, 'package-lock.json')
const MODULES = join(ROOT, 'node_modules')
const INSTALLED = join(MODULES, '.package-lock.json')

/**
 * Whether the installed packages are those of the lock file. A lock file can change without a change of packages, for
 * example when a package of ours begins to use an installed one; then `npm ci` would unpack everything for nothing.
 */
function isInstalled(locked) {
  if (!existsSync(INSTALLED)) return false
  const installed = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages
  const paths = Object.keys(locked).filter(path => path.includes('node_modules/'))
  const isThere = path => {
    const [want, have] = [locked[path], installed[path]]
    // Packages for other systems are only in the lock file.
    if (!have) return want.optional === true
    if (want.link) return have.link === true && have.resolved === want.resolved
    return have.version === want.version && (have.integrity ?? want.integrity) === want.integrity
  }
  return paths.every(isThere) && Object.keys(installed).every(path => path in locked)
}

/** How many packages npm has unpacked into node_modules so far. */
function countInstalled() {
  if (!existsSync(MODULES)) return 0
  const names = readdirSync(MODULES).filter(name => !name.startsWith('.'))
  const scopes = names.filter(name => name.startsWith('@'))
  return names.length - scopes.length + scopes.flatMap(scope => readdirSync(join(MODULES, scope))).length
}

/** @throws Error with what npm said */
export async function install(log) {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'))
  if (!isInstalled(packages)) {
    const total = Object.keys(packages).filter(path => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)).length
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
}
