import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isPostgresAnswering } from '@payment-tracking/store/core'
import { findPostgresAccount, isOpenToOthers, type Account } from './account.js'
import { findPostgres } from './find-postgres.js'
import { birthOf } from './processes.js'
import type { ServerKind, ServerSetup } from './server-kind.js'

const USER = 'app'

/**
 * For lasting data. Hash keys write to pages all over their indexes, so the indexes should fit in memory. The first
 * change of a page after a checkpoint logs the whole page, so checkpoints are rare.
 */
const DURABLE_SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
}

/** The folder of Postgres' data when its account cannot reach the data directory; one for each data directory. */
export function outsideDir(dataDir: string): string {
  const id = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12)
  return `/var/tmp/payment-tracking-data-${id}`
}

/** @throws Error when another user created the outside directory, where all users may write */
function clusterDir(dataDir: string, major: number, account: Account | undefined): string {
  if (!account || isOpenToOthers(dataDir)) return join(dataDir, `pg${major}`)
  const outside = outsideDir(dataDir)
  mkdirSync(outside, { recursive: true })
  if (lstatSync(outside).uid !== process.getuid?.()) throw new Error(`${outside} belongs to somebody else`)
  chmodSync(outside, 0o711)
  return join(outside, `pg${major}`)
}

async function createCluster(binDir: string, dir: string, setup: ServerSetup, account: Account | undefined) {
  const passwordFile = `${dir}.password`
  rmSync(dir, { recursive: true, force: true }) // what an interrupted initdb left
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(passwordFile, setup.password, { mode: 0o600 })
  if (account) for (const path of [dir, passwordFile]) chownSync(path, account.uid, account.gid)
  try {
    await promisify(execFile)(
      join(binDir, 'initdb'),
      [
        ...['-D', dir, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
        ...['--encoding=UTF8', '--locale=C', '--no-sync'],
      ],
      {
        cwd: '/',
        env: { ...process.env, LC_ALL: 'C' },
        ...(account && { uid: account.uid, gid: account.gid }),
      },
    )
    writeFileSync(join(dir, '.complete'), '')
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/**
 * Removes the lock file of a dead postmaster. Postgres itself only checks whether the pid exists, so it would not start
 * where zombies remain (containers), or after the system used the pid again.
 */
function clearStaleLock(dir: string): void {
  const lock = join(dir, 'postmaster.pid')
  if (!existsSync(lock)) return
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0])
  if (birthOf(pid) !== undefined && commandLine(pid).includes('postgres')) return
  rmSync(lock)
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return 'postgres' // no /proc: leave the decision to Postgres
  }
}

export const postgresKind: ServerKind = {
  name: 'postgres',
  title: 'Postgres',
  usualPort: 54329,
  stopSignal: 'SIGINT',
  async prepare(setup) {
    const account = findPostgresAccount()
    const { binDir, major } = findPostgres(setup.path, account)
    const dir = clusterDir(setup.dataDir, major, account)
    if (!dir.startsWith(setup.dataDir)) setup.log(`Postgres keeps its data in ${dir}`)
    if (!existsSync(join(dir, '.complete'))) {
      setup.log('creating the database …')
      await createCluster(binDir, dir, setup, account)
    }
    if (account) chmodSync(dir, 0o700)
    const url = (port: number, database = 'postgres') =>
      `postgresql://${USER}:${setup.password}@127.0.0.1:${port}/${database}`
    return {
      url,
      command(port) {
        clearStaleLock(dir)
        const settings = {
          listen_addresses: '127.0.0.1',
          unix_socket_directories: '',
          max_connections: '300',
          ...(setup.durable ? DURABLE_SETTINGS : { fsync: 'off', full_page_writes: 'off' }),
        }
        return {
          file: join(binDir, 'postgres'),
          args: [
            ...['-D', dir, '-p', String(port)],
            ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
          ],
          ...(account && { uid: account.uid, gid: account.gid }),
        }
      },
      answers: port => isPostgresAnswering(url(port)),
    }
  },
}
