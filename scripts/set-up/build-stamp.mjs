// Tells whether the build is up to date. turbo takes seconds for that, this stamp a tenth of a second.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Inputs of the build outside of the packages. */
const SHARED_INPUTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'turbo.json',
  'prisma',
  'prisma.config.ts',
  'scripts/bundle-services.mjs',
  'scripts/unbundled-packages.mjs',
]
const NO_INPUT = new Set(['node_modules', 'dist', 'generated', 'test', '.turbo'])
const OUTPUTS = ['dist', 'src/generated']
/** Only the tests install it: with it the client's types are made, without it they are `any`. */
const TYPE_GENERATOR = ['node_modules', 'packages/client/node_modules'].map(modules =>
  join(modules, 'openapi-typescript/package.json'),
)
/** What bundles share. */
const SHARED_OUTPUT = 'dist/bundles'

/**
 * The packages and services, as paths relative to the root. A folder without package.json is what git left of a renamed
 * package: its build.
 */
export const packagesOf = root =>
  ['packages', 'services']
    .flatMap(parent => readdirSync(join(root, parent)).map(name => join(parent, name)))
    .filter(path => existsSync(join(root, path, 'package.json')))
    .concat('infra/stack', 'infra/testkit')

/** All files at or below a path, sorted; none when there is nothing. */
function filesBelow(root, path, isLeftOut = () => false) {
  if (!existsSync(join(root, path))) return []
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path))
    .sort()
    .filter(name => !isLeftOut(name))
    .flatMap(name => filesBelow(root, join(path, name), isLeftOut))
}

/** A hash over the names and contents of everything that a build reads, and what runs it. */
function hashInputs(root) {
  const isTyped = TYPE_GENERATOR.some(file => existsSync(join(root, file)))
  const hash = createHash('sha256').update(`${process.version} ${isTyped}`)
  for (const path of [...SHARED_INPUTS, ...packagesOf(root)]) {
    for (const file of filesBelow(root, path, name => NO_INPUT.has(name))) {
      hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
    }
  }
  return hash.digest('hex')
}

/** A hash over the names, sizes and times of everything that a build writes. */
function hashOutputs(root) {
  const hash = createHash('sha256')
  const outputs = packagesOf(root).flatMap(path => OUTPUTS.map(output => join(path, output)))
  for (const path of [...outputs, SHARED_OUTPUT]) {
    for (const file of filesBelow(root, path)) {
      const { size, mtimeMs } = statSync(join(root, file))
      hash.update(`\0${file}\0${size}\0${mtimeMs}`)
    }
  }
  return hash.digest('hex')
}

/**
 * @param root a repository
 * @returns `isFresh`: no input and no output of the build has changed since the last `write`. Call `write` after a build;
 *   it stores the inputs as they were before the build, so an edit during a build makes the next start build again.
 */
export function readBuildStamp(root) {
  const file = join(root, 'node_modules/.cache/payment-tracking/built')
  const inputs = hashInputs(root)
  return {
    isFresh: existsSync(file) && readFileSync(file, 'utf8') === `${inputs} ${hashOutputs(root)}`,
    write() {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${inputs} ${hashOutputs(root)}`)
    },
  }
}
