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

const [pg, turbo] = [{ 'node_modules/pg': PG }, { 'node_modules/turbo': TURBO }]
const client = { 'node_modules/generator': GENERATOR }
const older = { 'node_modules/pg': { ...PG, version: '0.9.0' } }
const gone = { ...pg, 'node_modules/gone': PG }
for (const [what, installed, withTests, wanted] of [
  ['a fresh clone installs everything', undefined, true, 'ci --include=dev'],
  ['a fresh clone installs only what runs', undefined, false, 'ci --omit=dev'],
  ['what is installed is left alone', { ...pg, ...turbo, ...client }, true, undefined],
  ['what runs is left alone', pg, false, undefined],
  ['tests add what only they need', pg, true, 'install --no-save --include=dev'],
  ['with another version, what tests needed is kept', { ...older, ...turbo }, false, 'ci --include=dev'],
  ['what is left over is removed', gone, false, 'install --no-save --omit=dev'],
  ['and the rest stays', { ...gone, ...turbo }, false, 'install --no-save --include=dev'],
  ['what the client alone needs is no installation', client, false, 'ci --omit=dev'],
  ['nor is the client’s beside it touched', { ...pg, ...client }, false, undefined],
  ['to which tests add', { ...pg, ...client }, true, 'install --no-save --include=dev'],
] as const)
  t.test(what, async t => t.equal(choose(t, installed, withTests), wanted))
