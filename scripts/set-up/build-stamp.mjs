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
  'scripts/bundle.mjs',
  'scripts/bundle-services.mjs',
  // Only the tests install it: with it the client's types are made, without it they are `any`.
  'node_modules/openapi-typescript/package.json',
  'packages/client/node_modules/openapi-typescript/package.json',
]
const NO_INPUT = new Set(['node_modules', 'dist', 'generated', 'test', '.turbo'])
const OUTPUTS = ['dist', 'src/generated']
/** What bundles share. */
const SHARED_OUTPUT = 'dist/bundles'

/**
 * The packages and services, as paths relative to the root. A folder without package.json is what git left of a renamed
 * package: its build.
 */
const packagesOf = root =>
  ['packages', 'services']
    .flatMap(parent => readdirSync(join(root, parent)).map(name => join(parent, name)))
    .filter(path => existsSync(join(root, path, 'package.json')))
    .concat('infra/stack', 'infra/testkit')

/** All files at or below a path, sorted; none when there is nothing. */
function filesBelow(root, path, isLeftOut) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat ? [path] : []
  return readdirSync(join(root, path))
    .sort()
    .filter(name => !isLeftOut(name))
    .flatMap(name => filesBelow(root, join(path, name), isLeftOut))
}

/** A hash over the names of files and what `read` gives of each. */
function hashFiles(root, paths, read, isLeftOut = () => false) {
  const hash = createHash('sha256').update(process.version)
  for (const path of paths)
    for (const file of filesBelow(root, path, isLeftOut))
      hash.update(`\0${file}\0`).update(read(join(root, file)))
  return hash.digest('hex')
}

const sizeAndTime = file => {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs}`
}

/**
 * @param root a repository
 * @returns `isFresh`: no input and no output of the build has changed since the last `write`. Call `write` after a build;
 *   it stores the inputs as they were before the build, so an edit during a build makes the next start build again.
 */
export function readBuildStamp(root) {
  const file = join(root, 'node_modules/.cache/payment-tracking/built')
  const packages = packagesOf(root)
  const inputs = hashFiles(
    root,
    [...SHARED_INPUTS, ...packages],
    path => readFileSync(path),
    name => NO_INPUT.has(name),
  )
  const outputs = [...packages.flatMap(path => OUTPUTS.map(output => join(path, output))), SHARED_OUTPUT]
  const stamp = () => `${inputs} ${hashFiles(root, outputs, sizeAndTime)}`
  return {
    isFresh: existsSync(file) && readFileSync(file, 'utf8') === stamp(),
    write() {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, stamp())
    },
  }
}
