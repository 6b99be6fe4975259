// `npm run test:containers [FILE…]`: builds the images, runs them, and tests what runs. Needs root, Debian's packages
// and npm; no Docker, no registry of images.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine, writeEngineSettings } from './engine.js'
import { buildImages } from './images.js'
import { installPrograms } from './install.js'
import { ENGINE_ENV, HOME, ROOT, step } from './machine.js'
import { makeBase, makeStandIns } from './stand-ins.js'

const HERE = join(ROOT, 'test/containers')
const FILE_TIMEOUT_S = 600

/** Runs test files one after the other. @returns whether all passed */
function runFiles(files: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/run-test-files.mjs', ...files], {
    cwd: ROOT,
    env: { ...process.env, ...ENGINE_ENV, TEST_JOBS: '1', TAP_TIMEOUT: String(FILE_TIMEOUT_S) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise(resolve => child.once('exit', code => resolve(code === 0)))
}

if (process.getuid?.() !== 0) {
  console.error(
    'test:containers needs root: it makes networks, mounts and users. Run it with sudo, or on a machine of its own.',
  )
  process.exit(1)
}
mkdirSync(HOME, { recursive: true })
await step('Debian packages', installPrograms).catch((error: Error) => {
  console.error(
    `test:containers needs buildah, podman and other packages of Debian, and apt-get could not get them:\n${error.message}`,
  )
  process.exit(1)
})
writeEngineSettings()
const named = process.argv.slice(2)
const files =
  named.length > 0
    ? named
    : readdirSync(HERE)
        .filter(name => name.endsWith('.containers.ts'))
        .map(name => `test/containers/${name}`)
/** Files that run our own images; the others need at most a Debian. */
const ofImages = files.filter(file => /(compose|kubernetes-pods)\.containers\.ts$/.test(file))
if (ofImages.length > 0) {
  await makeStandIns()
  await buildImages()
} else if (files.some(file => file.endsWith('pgbouncer.containers.ts'))) await makeBase()
const engine = await openEngine()
const passed = await runFiles(files)
await engine.close()
process.exit(passed ? 0 : 1)
