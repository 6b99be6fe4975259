// `npm run test:containers`: builds the images, runs them, and tests what runs; without Docker and a registry of images.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '@payment-tracking/runtime/arguments'
import type { Engine } from './engine.js'
import { installPrograms, unpackPrograms } from './install.js'
import { ENGINE_ENV, ROOT, run, step } from './machine.js'

const USAGE = `usage: npm run test:containers [-- FILE...]
  Builds the images, runs them, and tests what runs: all of test/containers, or these files.
  Needs root, Debian's packages and npm.
  --core  docker-compose.yml alone, as the gate runs it; where containers cannot run, one
          line says so, and nothing fails`

const { values, positionals: named } = readArguments({
  usage: USAGE,
  options: { core: { type: 'boolean', default: false } },
  positionals: Infinity,
})
// A question for the usage need not load the whole system.
const { openEngine, writeEngineSettings } = await import('./engine.js')
const { buildImages } = await import('./images.js')
const { BASE_IMAGE, makeBase, makeStandIns } = await import('./stand-ins.js')

const HERE = join(ROOT, 'test/containers')
/** Several times what one takes on a quiet machine. */
const FILE_TIMEOUT_S = 1_800
/** What the gate runs. */
const CORE = ['test/containers/compose.containers.ts']
/** The gate does not wait longer for a machine that downloads slowly. */
const PREPARATION_MS = 900_000

/** Runs test files one after the other. @returns whether all passed */
function runFiles(files: readonly string[], signal: AbortSignal): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/test.mjs', '--alone', ...files], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...ENGINE_ENV,
      TMPDIR: tmpdir(),
      TEST_JOBS: '1',
      TAP_TIMEOUT: String(FILE_TIMEOUT_S),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  // Ctrl-C and the gate reach it as well: it belongs to this group of processes.
  signal.addEventListener('abort', () => child.kill('SIGTERM'))
  return new Promise(resolve => child.once('exit', code => resolve(code === 0)))
}

/** @throws why this machine cannot run containers */
async function prepareMachine(): Promise<Engine> {
  if (process.getuid?.() !== 0)
    throw new Error(
      'test:containers needs root: it makes networks, mounts and users. Run it with sudo, or on a machine of its own.',
    )
  mkdirSync(ENGINE_ENV.TMPDIR, { recursive: true })
  await step('Debian packages', installPrograms).catch((error: Error) => {
    throw new Error(
      `test:containers needs buildah, podman and other packages of Debian, and apt-get could not get them:\n${error.message}`,
    )
  })
  writeEngineSettings()
  await Promise.all([step('Docker Compose and Kustomize', unpackPrograms), makeBase()])
  await step('a container', () => run('podman', ['run', '--rm', BASE_IMAGE, 'true'])).catch(
    (error: Error) => {
      throw new Error(`this machine cannot run containers:\n${error.message}`)
    },
  )
  return openEngine()
}

const inTime = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) =>
      setTimeout(
        () => reject(new Error(`not ready after ${PREPARATION_MS / 1_000} s`)),
        PREPARATION_MS,
      ).unref(),
    ),
  ])

const isCore = values.core
const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort())
const engine = await (isCore ? inTime(prepareMachine()) : prepareMachine()).catch((error: Error) => {
  console.error(isCore ? `SKIPPED, THE IMAGES WERE NOT TESTED: ${error.message}` : error.message)
  process.exit(isCore ? 0 : 1)
})
const all = readdirSync(HERE)
  .filter(name => name.endsWith('.containers.ts'))
  .map(name => `test/containers/${name}`)
const files = isCore ? CORE : named.length > 0 ? named : all
let passed = false
try {
  /** Files that run our own images; the others need at most a Debian. */
  if (files.some(file => /(compose|kubernetes-pods)\.containers\.ts$/.test(file))) {
    await makeStandIns()
    await buildImages(stopping.signal)
  }
  if (!stopping.signal.aborted) passed = await runFiles(files, stopping.signal)
} catch (error) {
  console.error((error as Error).message)
}
await engine.close()
process.exit(passed ? 0 : 1)
