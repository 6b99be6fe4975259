// Tells whether the build is up to date. turbo takes seconds for that, this stamp a tenth of a second.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** What a build reads and writes, relative to the root. */
const PATHS = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'turbo.json',
  'prisma',
  'prisma.config.ts',
  'scripts/bundle.mjs',
  'scripts/bundle-services.mjs',
  'packages',
  'services',
  'infra/stack',
  'infra/testkit',
  // What bundles share.
  'dist/bundles',
  // Only the tests install it: with it everything is compiled, without it only bundles are made.
  'node_modules/turbo/package.json',
]
const LEFT_OUT = new Set(['node_modules', 'test', '.turbo'])
const IS_WRITTEN = /(^|\/)(dist|src\/generated)\//

/** All files at or below a path, sorted; none when there is nothing. */
function filesBelow(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat ? [path] : []
  return readdirSync(path)
    .sort()
    .filter(name => !LEFT_OUT.has(name))
    .flatMap(name => filesBelow(join(path, name)))
}

/** Hashes over the contents of what a build reads and what runs it, and over sizes and times of what it writes. */
function readHashes(root) {
  const [read, written] = [createHash('sha256').update(process.version), createHash('sha256')]
  for (const file of PATHS.flatMap(path => filesBelow(join(root, path)))) {
    const name = relative(root, file)
    if (IS_WRITTEN.test(name)) {
      const { size, mtimeMs } = statSync(file)
      written.update(`\0${name}\0${size}\0${mtimeMs}`)
    } else read.update(`\0${name}\0`).update(readFileSync(file))
  }
  return { read: read.digest('hex'), written: written.digest('hex') }
}

/**
 * @param root a repository
 * @returns `isFresh`: no input and no output of the build has changed since the last `write`. Call `write` after a build;
 *   it stores the inputs as they were before the build, so an edit during a build makes the next start build again.
 */
export function readBuildStamp(root) {
  const file = join(root, 'node_modules/.cache/payment-tracking/built')
  const { read, written } = readHashes(root)
  return {
    isFresh: existsSync(file) && readFileSync(file, 'utf8') === `${read} ${written}`,
    write() {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${read} ${readHashes(root).written}`)
    },
  }
}
