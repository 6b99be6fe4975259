// What `npm start` and `npm test` do first, on a fresh clone and on every later run: install when the lock file has
// changed, build when a source has changed. Plain JavaScript without dependencies: nothing is installed yet.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT, run, TURBO_ENV, withProgress } from './command.mjs'
import { readBuildStamp } from './set-up/build-stamp.mjs'
import { chooseInstallation } from './set-up/choose-installation.mjs'
import { findNodeProblem } from './set-up/find-node-problem.mjs'
import { install } from './set-up/install.mjs'
import { takeTurns } from './set-up/take-turns.mjs'

/** @throws Error that names the versions which will do */
export function requireNode() {
  const problem = findNodeProblem(process.versions.node)
  if (problem) throw new Error(problem)
}

const MODULES = join(ROOT, 'node_modules')

// turbo prints each task that it begins: `@payment-tracking/console:build: cache bypass, force executing 1a2b3c`.
const BEGUN = /^(?:@payment-tracking\/|\/\/:)([\w:-]+): cache/gm

/** Compiles every package, for tests, and bundles; in the order of turbo.json. */
async function buildAll(onTask) {
  const args = ['run', 'build', '--', '--output-logs=new-only', '--log-order=stream']
  const env = { ...TURBO_ENV, NODE_ENV: 'development' }
  const onOutput = text => onTask([...text.matchAll(BEGUN)].at(-1)?.[1])
  await run('npm', args, { env, onOutput })
}

/** What runs is bundled from the sources: a start needs no compiler. */
async function buildBundles(onTask) {
  const bundleServices = async () => {
    await run('node', ['packages/store/scripts/generate.mjs'])
    onTask('services')
    await run('node', ['scripts/bundle-services.mjs'])
  }
  onTask('console')
  await Promise.all([
    bundleServices(),
    run('npm', ['run', '--silent', 'build', '--workspace', 'services/console']),
  ])
}

async function build() {
  const stamp = readBuildStamp(ROOT)
  if (stamp.isFresh) return
  let task = ''
  const onTask = name => (task = name ?? task)
  const compiles = existsSync(join(MODULES, 'turbo'))
  await withProgress(
    'building',
    () => (compiles ? buildAll : buildBundles)(onTask),
    () => task,
  )
  stamp.write()
}

/**
 * Prints a line of progress at least every three seconds.
 * @param options.withTests also install what only tests, checks and benches need
 * @throws Error whose message says what failed and how
 */
export async function setUp({ withTests = true } = {}) {
  requireNode()
  await inTurn(async () => {
    await install(ROOT, chooseInstallation(ROOT, withTests))
    await build()
  })
}

const inTurn = work =>
  takeTurns(ROOT, work, pid =>
    console.log(`another set-up runs (process ${pid}); this one goes on after it …`),
  )

/**
 * The packed files of the client, by its own packages alone: some 30 of 700. Where the tests were set up, as they build it.
 * @throws Error whose message says what failed and how
 */
export async function setUpClient() {
  if (existsSync(join(MODULES, 'turbo'))) return setUp()
  requireNode()
  await inTurn(buildClient)
}

async function buildClient() {
  const folders = ['packages/client', 'packages/contracts']
  await install(ROOT, [
    'install',
    '--no-save',
    '--include=dev',
    ...folders.flatMap(each => ['--workspace', each]),
  ])
  const stamp = readBuildStamp(ROOT)
  await withProgress('building the client', async () => {
    for (const args of [
      ['packages/client/scripts/generate.mjs'],
      ['node_modules/typescript/bin/tsc', '-b', 'packages/client/tsconfig.json'],
      ['packages/client/scripts/build-script.mjs'],
    ])
      await run('node', args)
  })
  // What `npm start` built is as fresh as it was.
  if (stamp.isFresh) stamp.write()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUp()
