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
 * Compares packages, and not lock files. A workspace that begins to use an installed package changes the lock file alone.
 * There is nothing to install then, and `npm ci` would unpack everything again.
 * @returns the arguments for npm; undefined when everything is installed
 */
export function chooseInstallation(root, withTests) {
  const locked = packagesIn(join(root, 'package-lock.json'))
  const installed = packagesIn(join(root, 'node_modules/.package-lock.json'))
  const isForTests = path => locked[path]?.dev === true
  const missing = Object.keys(locked).filter(
    path => path.includes('node_modules/') && !isThere(locked[path], installed[path]),
  )
  const isCurrent = missing.every(isForTests)
  const hasLeftovers = !Object.keys(installed).every(path => path in locked)
  if (isCurrent && !hasLeftovers && (missing.length === 0 || !withTests)) return undefined
  // The packages of tests stay installed once they are there; `npm run client` alone installs none of them.
  const takesAll = withTests || 'node_modules/turbo' in installed
  // `npm ci` deletes node_modules first. When only packages of tests are missing, or some are left over, `npm install` does.
  return [...(isCurrent ? ['install', '--no-save'] : ['ci']), takesAll ? '--include=dev' : '--omit=dev']
}
