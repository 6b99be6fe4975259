// `npm run test:containers [-- FILE…]`: builds the images, runs them, and tests what runs. Needs root, Debian's packages
// and npm; no Docker, no registry of images. With --core, for the long gate: images, the compose file, fixtures and the
// stop alone; a machine that cannot run containers is named, and nothing fails.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine, writeEngineSettings } from './engine.js'
import { buildImages } from './images.js'
import { installPrograms } from './install.js'
import { ENGINE_ENV, HOME, ROOT, run, step } from './machine.js'
import { BASE_IMAGE, makeBase, makeStandIns } from './stand-ins.js'

const HERE = join(ROOT, 'test/containers')
const FILE_TIMEOUT_S = 900
const COMPOSE = 'test/containers/compose.containers.ts'

/** Runs test files one after the other. @returns whether all passed */
function runFiles(files: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/run-test-files.mjs', ...files], {
    cwd: ROOT,
    env: { ...process.env, ...ENGINE_ENV, ...env, TEST_JOBS: '1', TAP_TIMEOUT: String(FILE_TIMEOUT_S) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise(resolve => child.once('exit', code => resolve(code === 0)))
}

/** @throws why this machine cannot run containers */
async function prepareMachine(): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error(
      'test:containers needs root: it makes networks, mounts and users. Run it with sudo, or on a machine of its own.',
    )
  mkdirSync(HOME, { recursive: true })
  await step('Debian packages', installPrograms).catch((error: Error) => {
    throw new Error(
      `test:containers needs buildah, podman and other packages of Debian, and apt-get could not get them:\n${error.message}`,
    )
  })
  writeEngineSettings()
  await makeBase()
  await step('a container', () => run('podman', ['run', '--rm', BASE_IMAGE, 'true'])).catch(
    (error: Error) => {
      throw new Error(`this machine cannot run containers:\n${error.message}`)
    },
  )
}

const args = process.argv.slice(2)
const isCore = args.includes('--core')
const named = args.filter(arg => arg !== '--core')
await prepareMachine().catch((error: Error) => {
  console.error(isCore ? `SKIPPED, THE IMAGES WERE NOT TESTED: ${error.message}` : error.message)
  process.exit(isCore ? 0 : 1)
})
const all = readdirSync(HERE)
  .filter(name => name.endsWith('.containers.ts'))
  .map(name => `test/containers/${name}`)
const files = isCore ? [COMPOSE] : named.length > 0 ? named : all
/** Files that run our own images; the others need at most a Debian. */
if (files.some(file => /(compose|kubernetes-pods)\.containers\.ts$/.test(file))) {
  await makeStandIns()
  await buildImages()
}
const engine = await openEngine()
const passed = await runFiles(files, isCore ? { CONTAINERS_CORE: 'on' } : {})
await engine.close()
process.exit(passed ? 0 : 1)
