// Runs npm, and says how far it is.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run, withProgress } from '../command.mjs'

/** How many packages npm has unpacked so far; it makes all folders, and links to those of the repository, first. */
function countInstalled(modules) {
  const entries = existsSync(modules) ? readdirSync(modules, { withFileTypes: true }) : []
  const folders = entries.flatMap(entry =>
    entry.name.startsWith('@')
      ? readdirSync(join(modules, entry.name), { withFileTypes: true }).map(each => [entry.name, each])
      : [['', entry]],
  )
  return folders.filter(
    ([scope, entry]) => entry.isDirectory() && existsSync(join(modules, scope, entry.name, 'package.json')),
  ).length
}

/** How npm tells of a package that it has downloaded, or found in its cache. */
const FETCHED = /http (?:fetch|cache) \S+.*\.tgz/

/**
 * Installs packages with npm. Prints a line of progress at least every three seconds.
 * @param root the folder whose node_modules npm fills
 * @param args the arguments of npm, such as `ci`. Undefined when everything is installed already: then nothing happens
 * @throws Error with what npm printed when it failed, or when the disk was full
 */
export async function install(root, args) {
  if (!args) return
  const modules = join(root, 'node_modules')
  // npm works in three steps: it looks for what is missing, downloads all of that, and unpacks it.
  let fetched = 0
  let fullDisk = ''
  const onOutput = text => {
    fetched += text.split(FETCHED).length - 1
    fullDisk ||= /.*ENOSPC.*/.exec(text)?.[0] ?? ''
  }
  await withProgress(
    'installing dependencies',
    () =>
      run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=http'], { onOutput }),
    () =>
      fetched === 0
        ? 'npm looks for what is missing'
        : `${fetched} packages downloaded, ${countInstalled(modules)} unpacked`,
  )
  if (!fullDisk) return
  // npm only warns of a file that found no room, and lists its package as installed: the next start installs anew.
  rmSync(join(modules, '.package-lock.json'), { force: true })
  throw new Error(fullDisk)
}
