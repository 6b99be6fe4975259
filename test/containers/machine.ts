// The files of the container tests on this machine, and the way in which they start programs.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Base system, images and containers of the tests. Safe to delete while no test runs. */
export const HOME = process.env.CONTAINERS_DIR ?? '/var/tmp/payment-tracking-containers'
export const inHome = (...parts: string[]) => join(HOME, ...parts)

/** Where the Docker API answers, for Docker Compose. */
export const SOCKET = inHome('podman.sock')

/** What podman, buildah and Docker Compose read: their own storage and settings, nothing of the machine's. */
export const ENGINE_ENV = {
  CONTAINERS_CONF: inHome('containers.conf'),
  CONTAINERS_STORAGE_CONF: inHome('storage.conf'),
  CONTAINERS_REGISTRIES_CONF: inHome('registries.conf'),
  DOCKER_HOST: `unix://${SOCKET}`,
  // BuildKit is Docker's own.
  DOCKER_BUILDKIT: '0',
  BUILDAH_FORMAT: 'docker',
  // On a disk: systems and layers are large, and programs of a system that is being made must run.
  TMPDIR: inHome('tmp'),
}

export interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string
  /** the output goes to a file or the terminal as it comes */
  show?: boolean
}

/**
 * Runs a program to its end.
 * @returns the program's stdout
 * @throws Error with the whole output, when the exit code is not 0
 */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...ENGINE_ENV, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let [output, errors] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (options.show) process.stderr.write(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
      if (options.show) process.stderr.write(chunk)
    })
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
    child.once('error', reject)
    child.once('close', code => {
      if (code === 0) return resolve(output)
      reject(new Error(`${file} ${args.join(' ')} ended with code ${code}\n${output}${errors}`))
    })
  })
}

/** Says what takes long, and how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now()
  console.error(`${what} …`)
  const result = await work()
  console.error(`${what}: ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
  return result
}
