// Which test files there are below the working directory, and the lane of each.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Runs whole systems, kills processes, fills long tables or takes more than a minute: for `npm run test:systems`. */
const LONG = /\.long\.test\.ts$/
/** Judges times, or takes many minutes: for `npm run test:night`. */
const NIGHT = /\.night\.test\.ts$/
/** Neither; nor `*.containers.ts`. */
const isShort = file => file.endsWith('.test.ts') && !LONG.test(file) && !NIGHT.test(file)

/** Packages whose tests need no server, no service and no socket. */
const PURE = /^packages\/(contracts|domain|client)\//
const ONE_SERVICE = /^(services|packages)\//

/** `pure` computes, `services` runs a part against real servers, `system` runs several processes together. */
export const laneOf = file => (PURE.test(file) ? 'pure' : ONE_SERVICE.test(file) ? 'services' : 'system')

/** Tests below these folders read sources of services, as all of `test` and `infra` may read everything. */
const OF_WHOLE = /^(test|infra|packages\/store\/test\/roles)\//

/** @returns the folder of the package whose task of turbo has the file; that of `test` has every file as its input */
export const packageOf = file => (OF_WHOLE.test(file) ? 'test' : file.split('/', 2).join('/'))

const foldersIn = parent => (existsSync(parent) ? readdirSync(parent).map(name => join(parent, name)) : [])

export const listTestFolders = () =>
  ['.', ...['services', 'packages', 'infra'].flatMap(foldersIn)]
    .map(folder => join(folder, 'test'))
    .filter(existsSync)

/** @returns `short` is what `npm test` runs, `long` what `npm run test:systems` adds, `night` what is left to the night */
export function listTestFiles() {
  const all = listTestFolders()
    .flatMap(folder => readdirSync(folder, { recursive: true }).map(name => join(folder, name)))
    .filter(file => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .sort()
  return {
    short: all.filter(isShort),
    long: all.filter(file => LONG.test(file)),
    night: all.filter(file => NIGHT.test(file)),
  }
}

/** Of a short file that needs a process of its own: the line says why. */
const ALONE = /^\/\/ In a process of its own: \S/m
/** Of a long file that shares its process with others of its folder: the line says what they share. */
const TOGETHER = /^\/\/ In one process with others: (.+)$/m

/** @returns a name that files of one process have in common */
function nameProcess(file) {
  const text = readFileSync(file, 'utf8')
  if (isShort(file)) return ALONE.test(text) ? file : dirname(file)
  const [, shared] = TOGETHER.exec(text) ?? []
  return shared ? `${dirname(file)}: ${shared}` : file
}

/**
 * A process computes 0.1 to 0.5 s before its first assertion, so files share one.
 * @returns the files, by process
 */
export function groupFiles(files) {
  const groups = new Map()
  for (const file of files) {
    const key = nameProcess(file)
    groups.set(key, [...(groups.get(key) ?? []), file])
  }
  return [...groups.values()]
}

/** A file that draws cases at random: the seed of each command decides which. */
const DRAWS_CASES = /from '(fast-check|\.\/hold\.js)'/

/** @returns the short files that draw cases at random */
export const listPropertyTests = () =>
  listTestFiles().short.filter(file => DRAWS_CASES.test(readFileSync(file, 'utf8')))
