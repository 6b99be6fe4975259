// What `npm start` and `npm test` have npm install, and when they leave it out.
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const { chooseInstallation } = (await import(
  fileURLToPath(new URL('../../scripts/set-up/choose-installation.mjs', import.meta.url))
)) as { chooseInstallation: (root: string, withTests: boolean) => string[] | undefined }

const PG = { version: '1.0.0', integrity: 'a' }
const TURBO = { version: '1.0.0', integrity: 'b', dev: true }
const GENERATOR = { version: '1.0.0', integrity: 'c', dev: true }
const LOCKED = {
  '': { version: '0.1.0' },
  'node_modules/pg': PG,
  'node_modules/turbo': TURBO,
  'node_modules/generator': GENERATOR,
  'node_modules/for-another-system': { version: '1.0.0', optional: true },
}

function choose(t: Test, installed: Record<string, object> | undefined, withTests: boolean) {
  const lock = (packages: object) => JSON.stringify({ packages })
  const modules = installed ? { '.package-lock.json': lock(installed) } : {}
  const root = t.testdir({ 'package-lock.json': lock(LOCKED), node_modules: modules })
  return chooseInstallation(root, withTests)?.join(' ')
}

t.test('a fresh clone installs everything, or only what runs', async t => {
  t.equal(choose(t, undefined, true), 'ci --include=dev')
  t.equal(choose(t, undefined, false), 'ci --omit=dev')
})

t.test('what is installed is left alone', async t => {
  const all = { 'node_modules/pg': PG, 'node_modules/turbo': TURBO, 'node_modules/generator': GENERATOR }
  t.equal(choose(t, all, true), undefined)
  t.equal(choose(t, { 'node_modules/pg': PG }, false), undefined)
})

t.test('tests add what only they need', async t => {
  t.equal(choose(t, { 'node_modules/pg': PG }, true), 'install --no-save --include=dev')
})

t.test('another version is installed, and what the tests needed is kept', async t => {
  const older = { ...PG, version: '0.9.0' }
  t.equal(choose(t, { 'node_modules/pg': older, 'node_modules/turbo': TURBO }, false), 'ci --include=dev')
})

t.test('what is left over is removed, and the rest stays', async t => {
  const gone = { 'node_modules/pg': PG, 'node_modules/gone': PG }
  t.equal(choose(t, gone, false), 'install --no-save --omit=dev')
  t.equal(choose(t, { ...gone, 'node_modules/turbo': TURBO }, false), 'install --no-save --include=dev')
})

t.test('what the client alone needs makes nobody install the tests', async t => {
  const client = { 'node_modules/generator': GENERATOR }
  t.equal(choose(t, client, false), 'ci --omit=dev')
  t.equal(choose(t, { 'node_modules/pg': PG, ...client }, false), undefined)
  t.equal(choose(t, { 'node_modules/pg': PG, ...client }, true), 'install --no-save --include=dev')
})
