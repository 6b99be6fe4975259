import { delimiter, join } from 'node:path'
import { ServerMissingError } from '../errors.js'
import { isExecutable } from './account.js'
import { downloadPackages, findDownloaded, type Program } from './debian-packages.js'

export interface SearchPaths {
  /** The folder of downloaded servers; safe to delete. */
  cacheDir: string
  /** Directories to search, in the form of PATH. */
  path: string
  log: (line: string) => void
}

/** Nobody waits longer than this without a word. */
const SAY_EVERY_MS = 5_000

export const findOnPath = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .filter(Boolean)
    .map(dir => join(dir, name))
    .find(isExecutable)

const CURES = {
  redis: {
    title: 'Redis',
    variable: 'REDIS_URL',
    debian: 'apt-get install redis-server',
    brew: 'brew install redis',
  },
  nats: {
    title: 'NATS',
    variable: 'NATS_URL',
    debian: 'apt-get install nats-server',
    brew: 'brew install nats-server',
  },
} as const

/**
 * Finds Redis or NATS: on PATH, in the cache, as Debian packages without root, as an installed package.
 * @throws ServerMissingError naming the package to install, and the variable to set instead
 */
export async function findProgram(server: 'redis' | 'nats', paths: SearchPaths): Promise<Program> {
  const name = `${server}-server`
  const { title, variable, debian, brew } = CURES[server]
  const installed = findOnPath(name, paths.path)
  if (installed) return { file: installed, env: {} }
  const downloaded = findDownloaded(paths.cacheDir, server)
  if (downloaded) return downloaded
  const tried: string[] = []
  if (findOnPath('apt-get', paths.path) && findOnPath('dpkg-deb', paths.path)) {
    const startedAt = Date.now()
    paths.log(`downloading ${title} (Debian package, nothing is installed) …`)
    const sayMore = setInterval(() => {
      paths.log(`downloading ${title} … ${Math.round((Date.now() - startedAt) / 1_000)} s`)
    }, SAY_EVERY_MS)
    try {
      return await downloadPackages(paths.cacheDir, server)
    } catch (error) {
      tried.push(`download: ${lastLine(error)}`)
    } finally {
      clearInterval(sayMore)
    }
  }
  throw new ServerMissingError(
    `${title} is missing: there is no ${name} on PATH. Install it (Debian, Ubuntu: ${debian}; macOS: ${brew}), ` +
      `or set ${variable} to a server of yours.${tried.length > 0 ? ` Tried: ${tried.join('; ')}` : ''}`,
  )
}

/**
 * Finds promtool, which checks rules for Prometheus: on PATH, in the cache, or as a Debian package without root.
 * @returns the reason as text when promtool is unavailable
 */
export async function findPromtool(paths: Pick<SearchPaths, 'cacheDir' | 'path'>): Promise<Program | string> {
  const installed = findOnPath('promtool', paths.path)
  if (installed) return { file: installed, env: {} }
  const downloaded = findDownloaded(paths.cacheDir, 'promtool')
  if (downloaded) return downloaded
  if (!findOnPath('apt-get', paths.path)) return 'there is no promtool on PATH, and no apt-get to get it with'
  try {
    return await downloadPackages(paths.cacheDir, 'promtool')
  } catch (error) {
    return lastLine(error)
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr?.trim() || message).split('\n').at(-1)!.trim()
}
