// The data directory belongs to one launcher at a time: two nats-servers would open the same store without an error.
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DataDirBusyError, DataDirUnusableError, KeyFileDamagedError } from '../errors.js'
import { outsideDir } from './postgres.js'
import { makePrivateFolder } from './private-folder.js'
import { identify, isAlive, stopProcess, type ProcessIdentity } from './processes.js'

export interface DataDir {
  path: string
  /** The password of the private servers, created at the first start and then kept. */
  password: string
  release(): void
}

/**
 * Makes a folder and the folders above it. Node's own `recursive` never returns where the kernel answers ENOENT below a
 * folder that exists, as in /proc.
 */
function makeFolder(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error
  }
}

/**
 * Makes the data directory, and checks that files can be written there.
 * @returns its absolute path
 * @throws DataDirUnusableError
 */
export function makeDataDir(dir: string): string {
  const path = resolve(dir)
  try {
    makeFolder(path)
    makePrivateFolder(join(path, 'logs'))
    accessSync(path, constants.W_OK)
    return path
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? 'it, or a folder above it, is a file'
        : `this user may not write there`
    throw new DataDirUnusableError(
      `DATA_DIR: ${path} cannot be used (${code}): ${reason}. Set DATA_DIR to a folder of yours.`,
      { cause },
    )
  }
}

/**
 * Makes and locks the data directory. A lock whose process is dead is taken over.
 * @throws DataDirBusyError, DataDirUnusableError
 */
export function lockDataDir(dir: string): DataDir {
  const path = makeDataDir(dir)
  // Other accounts may pass through the directory but not list it: Postgres may run as another account and must reach
  // its own folder.
  chmodSync(path, 0o711)
  const lock = join(path, 'lock')
  // Written to another file and linked, so that a reader never sees half of the lock.
  const mine = `${lock}.${process.pid}`
  writeFileSync(mine, JSON.stringify(identify(process.pid)))
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        linkSync(mine, lock)
        break
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        const holder = readHolder(lock)
        if (attempt > 3 || (holder && isAlive(holder))) {
          throw new DataDirBusyError(
            `${path} is in use by process ${holder?.pid ?? '?'}. ` +
              'Stop it, or set DATA_DIR (and PORT) to run a second copy.',
          )
        }
        rmSync(lock, { force: true })
      }
    }
  } finally {
    rmSync(mine, { force: true })
  }
  return {
    path,
    password: keepSecret(join(path, 'servers.password')),
    release: () => rmSync(lock, { force: true }),
  }
}

/** Whether a living launcher works in this data directory. */
export function isDataDirInUse(dir: string): boolean {
  const holder = readHolder(join(dir, 'lock'))
  return holder !== undefined && isAlive(holder)
}

/**
 * Deletes a data directory with its contents, and ends the servers that a killed launcher left there.
 * @throws DataDirBusyError
 */
export async function discardDataDir(dir: string): Promise<void> {
  if (isDataDirInUse(dir)) throw new DataDirBusyError(`${dir} is in use`)
  const states = join(dir, 'servers')
  for (const file of existsSync(states) ? readdirSync(states) : []) {
    const server = readHolder(join(states, file))
    if (server) await stopProcess(server, 'SIGKILL', 0)
  }
  for (const path of [outsideDir(dir), dir]) await rm(path, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * A secret of this data directory: read from its file, or created and written.
 * @throws KeyFileDamagedError when the file is empty
 */
export function keepSecret(file: string): string {
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim()
    if (kept !== '') return kept
    throw new KeyFileDamagedError(
      `${file} is empty: restore it from a backup, or delete it to have a new one made.`,
    )
  }
  const secret = randomBytes(24).toString('hex')
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return secret
}

function readHolder(lock: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as ProcessIdentity
  } catch {
    return undefined
  }
}
