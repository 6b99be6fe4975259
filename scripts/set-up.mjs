// What `npm start` and `npm test` do first, on a fresh clone and on every later run: install when the lock file has
// changed, build when a source has changed. Plain JavaScript without dependencies: nothing is installed yet.
import { fileURLToPath } from 'node:url'
import { ROOT, run, withProgress } from './command.mjs'
import { readBuildStamp } from './set-up/build-stamp.mjs'
import { chooseInstallation } from './set-up/choose-installation.mjs'

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(`Node.js 20.19 or later is needed; this is ${process.versions.node} (see .nvmrc)`)
}

/** Runs a program, and shows in each line of progress what it last printed that matches the pattern. */
const runShown = (what, pattern, file, args, env) =>
  withProgress(what, show =>
    run(file, args, {
      env,
      onOutput: text => {
        const latest = [...text.matchAll(pattern)].at(-1)
        if (latest) show(latest[1])
      },
    }),
  )

// `npm http fetch GET 200 https://registry.npmjs.org/pg/-/pg-8.23.1.tgz 12ms (cache miss)`
const FETCHED = /^npm http \S+ \S+ \S+ \S+\/([^/\s]+)\.tgz/gm

async function install(withTests) {
  const args = chooseInstallation(ROOT, withTests)
  if (!args) return
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=http']
  await runShown('installing dependencies', FETCHED, 'npm', [...args, ...options])
}

// turbo prints each task that it begins: `@payment-tracking/console:build: cache bypass, force executing 1a2b3c`.
const BEGUN = /^(?:@payment-tracking\/|\/\/:)([\w:-]+): cache/gm

async function build() {
  const stamp = readBuildStamp(ROOT)
  if (stamp.isFresh) return
  const args = ['run', 'build', '--', '--output-logs=new-only', '--log-order=stream']
  const env = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', NODE_ENV: 'development' }
  await runShown('building', BEGUN, 'npm', args, env)
  stamp.write()
}

/**
 * Prints a line of progress at least every three seconds.
 * @param options.withTests also install what only tests, checks and benches need
 * @throws Error whose message says what failed and how
 */
export async function setUp({ withTests = true } = {}) {
  requireNode()
  await install(withTests)
  await build()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUp()
