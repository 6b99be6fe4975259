// Installs the dependencies when the lock file has changed: `dependencies` are what building and running need, and
// `devDependencies` what tests and checks need besides.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, withProgress } from './run.mjs'

const LOCK = join(ROOT, 'package-lock.json')
const MODULES = join(ROOT, 'node_modules')
const INSTALLED = join(MODULES, '.package-lock.json')

const packagesIn = file => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {})

/**
 * The paths of locked packages that are not installed as locked. A lock file can change without a change of packages, for
 * example when a package of ours begins to use an installed one; then `npm ci` would unpack everything for nothing.
 */
function listMissing(locked, installed) {
  const isThere = path => {
    const [want, have] = [locked[path], installed[path]]
    // Packages for other systems are only in the lock file.
    if (!have) return want.optional === true
    if (want.link) return have.link === true && have.resolved === want.resolved
    return have.version === want.version && (have.integrity ?? want.integrity) === want.integrity
  }
  return Object.keys(locked).filter(path => path.includes('node_modules/') && !isThere(path))
}

/** How many packages npm has unpacked into node_modules so far; it makes all folders first. */
function countInstalled() {
  if (!existsSync(MODULES)) return 0
  const names = readdirSync(MODULES).filter(name => !name.startsWith('.'))
  const paths = names.flatMap(name =>
    name.startsWith('@') ? readdirSync(join(MODULES, name)).map(each => join(name, each)) : [name],
  )
  return paths.filter(path => existsSync(join(MODULES, path, 'package.json'))).length
}

/**
 * @param options.withTests also install what only tests and checks need
 * @throws Error with what npm said
 */
export async function install(log, { withTests }) {
  const [locked, installed] = [packagesIn(LOCK), packagesIn(INSTALLED)]
  const missing = listMissing(locked, installed)
  const isForTests = path => locked[path].dev === true
  const isCurrent =
    Object.keys(installed).every(path => path in locked) && missing.every(path => isForTests(path))
  if (isCurrent && (missing.length === 0 || !withTests)) return
  // Who has run the tests before keeps their packages.
  const takesAll = withTests || Object.keys(installed).some(path => path in locked && isForTests(path))
  const wanted = Object.keys(locked).filter(path => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path))
  const isCounted = path => !locked[path].optional && (takesAll || !isForTests(path))
  const total = wanted.filter(isCounted).length
  // `npm ci` begins by deleting everything; what runs is kept where only the rest is missing.
  const args = isCurrent ? ['install', '--no-save'] : ['ci']
  args.push(takesAll ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline')
  // npm starts its scripts with its own path in the environment; without npm, PATH has to do.
  const npm = process.env.npm_execpath
  await withProgress(
    log,
    isCurrent ? 'installing what tests need' : 'installing dependencies',
    () => `${Math.min(countInstalled(), total)} of ${total} packages`,
    () => (npm ? run(process.execPath, [npm, ...args]) : run('npm', args)),
  )
}
