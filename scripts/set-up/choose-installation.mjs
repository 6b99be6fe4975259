// What npm has to install: `dependencies` are what building and running need, and `devDependencies` what tests and checks
// need besides.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const packagesIn = file => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {})

/** Whether a locked package is installed as locked. */
function isThere(want, have) {
  // Packages for other systems are only in the lock file.
  if (!have) return want.optional === true
  if (want.link) return have.link === true && have.resolved === want.resolved
  return have.version === want.version && (have.integrity ?? want.integrity) === want.integrity
}

/**
 * Compares packages, not lock files. A lock file can change without a change of packages, for example when a package of
 * ours begins to use an installed one; then `npm ci` would unpack everything for nothing.
 * @returns npm's arguments; undefined when everything is installed
 */
export function chooseInstallation(root, withTests) {
  const locked = packagesIn(join(root, 'package-lock.json'))
  const installed = packagesIn(join(root, 'node_modules/.package-lock.json'))
  const isForTests = path => locked[path]?.dev === true
  const missing = Object.keys(locked).filter(
    path => path.includes('node_modules/') && !isThere(locked[path], installed[path]),
  )
  const isCurrent = Object.keys(installed).every(path => path in locked) && missing.every(isForTests)
  if (isCurrent && (missing.length === 0 || !withTests)) return undefined
  // Who has run the tests before keeps their packages.
  const takesAll = withTests || Object.keys(installed).some(isForTests)
  // `npm ci` begins by deleting everything; what runs is kept where only the rest is missing.
  return [...(isCurrent ? ['install', '--no-save'] : ['ci']), takesAll ? '--include=dev' : '--omit=dev']
}
