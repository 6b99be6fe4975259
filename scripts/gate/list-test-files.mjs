// Which test files there are, and the lane of each.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file that only `npm run test:long` runs: it takes minutes, or uses a fresh seed each time. */
const LONG = /\.long\.test\.ts$/

/** Packages whose tests need no server, no service and no socket. */
const PURE = /^packages\/(contracts|domain|client)\//
const ONE_SERVICE = /^(services|packages)\//

/** `pure` computes, `services` runs a part against real servers, `system` runs several processes together. */
export const laneOf = file => (PURE.test(file) ? 'pure' : ONE_SERVICE.test(file) ? 'services' : 'system')

/** Below this root: the folders that hold test files. */
export const testFolders = root =>
  [
    'test',
    'infra/stack/test',
    'infra/testkit/test',
    ...['services', 'packages'].flatMap(parent => testFoldersBelow(root, parent)),
  ].filter(folder => existsSync(join(root, folder)))

const testFoldersBelow = (root, parent) =>
  existsSync(join(root, parent))
    ? readdirSync(join(root, parent)).map(name => join(parent, name, 'test'))
    : []

/**
 * @param root a repository
 * @returns paths relative to the root: `short` is what `npm test` runs, `long` what `npm run test:long` adds
 */
export function listTestFiles(root) {
  const all = testFolders(root)
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true })
        .filter(name => name.endsWith('.test.ts') && !name.includes('node_modules'))
        .map(name => join(folder, name)),
    )
    .sort()
  return { short: all.filter(file => !LONG.test(file)), long: all.filter(file => LONG.test(file)) }
}

/** A file that draws cases at random: `npm test` runs it with one seed, `npm run test:long` with a fresh one. */
const DRAWS_CASES = /from '(fast-check|\.\/hold\.js)'/

/** @returns the short files that draw cases at random, as paths relative to the root */
export const listPropertyTests = root =>
  listTestFiles(root).short.filter(file => DRAWS_CASES.test(readFileSync(join(root, file), 'utf8')))
