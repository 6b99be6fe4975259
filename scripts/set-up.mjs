// What `npm start` and `npm test` do first, on a fresh clone and on every later run: install when the lock file has
// changed, build when a source has changed. Plain JavaScript without dependencies: nothing is installed yet.
import { fileURLToPath } from 'node:url'
import { build } from './set-up/build.mjs'
import { install } from './set-up/install.mjs'

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(`Node.js 20.19 or later is needed; this is ${process.versions.node} (see .nvmrc)`)
}

/**
 * @param log gets a line of progress at least every three seconds
 * @param options.withTests also install what only tests, checks and benches need
 * @throws Error whose message says what failed and how
 */
export async function setUp(log, { withTests = true } = {}) {
  requireNode()
  await install(log, { withTests })
  await build(log)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUp(line => console.log(line))
