// Debian and Ubuntu packages without root: apt downloads and checks them as usual, but they are extracted into a folder
// of the project. No service is registered, no port is taken, and deleting the folder removes everything.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isExecutable } from './account.js'

const run = promisify(execFile)

/**
 * redis-server is a link into redis-tools, so both are listed. promtool needs no other package, but its package depends
 * on the packages of a whole web site.
 */
const PACKAGES = {
  redis: { program: 'redis-server', packages: ['redis-server', 'redis-tools'], alone: false },
  nats: { program: 'nats-server', packages: ['nats-server'], alone: false },
  promtool: { program: 'promtool', packages: ['prometheus'], alone: true },
} as const
export type PackagedServer = keyof typeof PACKAGES

export interface Program {
  file: string
  env: Record<string, string>
}

const programIn = (root: string, server: PackagedServer): Program | undefined => {
  const file = ['usr/bin', 'usr/sbin']
    .map(dir => join(root, dir, PACKAGES[server].program))
    .find(isExecutable)
  if (!file) return undefined
  const libraries = join(root, 'usr/lib')
  const folders = existsSync(libraries) ? readdirSync(libraries).filter(name => name.includes('-linux-')) : []
  return { file, env: { LD_LIBRARY_PATH: folders.map(name => join(libraries, name)).join(':') } }
}

/** @returns the program of an earlier download */
export const findDownloaded = (cacheDir: string, server: PackagedServer): Program | undefined =>
  programIn(join(cacheDir, server), server)

/**
 * Downloads a server with the libraries that this machine lacks. Several processes may download at once: each uses its
 * own folder, and the first to finish gives its folder the final name.
 * @throws Error with the message of apt-get or dpkg-deb
 */
export async function downloadPackages(cacheDir: string, server: PackagedServer): Promise<Program> {
  mkdirSync(cacheDir, { recursive: true })
  const work = mkdtempSync(join(cacheDir, `.${server}-`))
  try {
    const [cache, root] = [join(work, 'cache'), join(work, 'root')]
    for (const dir of [join(cache, 'archives/partial'), root]) mkdirSync(dir, { recursive: true })
    const options = [`Dir::Cache=${cache}`, 'Debug::NoLocking=true']
    // As root, apt would run the download as the user _apt, who may not write here.
    if (process.getuid?.() === 0) options.push('APT::Sandbox::User=root')
    const { packages, alone } = PACKAGES[server]
    /** @param lists what apt knows of packages; default: what this machine does */
    const download = async (debs: string, lists?: string) => {
      mkdirSync(debs)
      const chosen = lists === undefined ? options : [...options, `Dir::State::lists=${lists}`]
      const apt = (...args: string[]) =>
        run('apt-get', ['-q', ...chosen.flatMap(option => ['-o', option]), ...args], {
          cwd: debs,
          env: { ...process.env, LC_ALL: 'C' },
          timeout: 120_000,
          maxBuffer: 1 << 26,
        })
      if (lists !== undefined) {
        mkdirSync(join(lists, 'partial'), { recursive: true })
        await apt('update')
      }
      const planned = async () => {
        const plan = await apt('install', '-s', '--reinstall', '--no-install-recommends', ...packages)
        return [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map(match => match[1]!)
      }
      await apt('download', ...(alone ? packages : await planned()))
      return debs
    }
    // The machine's lists may be missing, or so old that what they name is gone.
    const debs = await download(join(work, 'known')).catch(() =>
      download(join(work, 'new'), join(work, 'lists')),
    )
    for (const file of readdirSync(debs)) await run('dpkg-deb', ['-x', join(debs, file), root])
    const target = join(cacheDir, server)
    try {
      renameSync(root, target)
    } catch (error) {
      if (!existsSync(target)) throw error
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const program = findDownloaded(cacheDir, server)
  if (!program)
    throw new Error(
      `the packages ${PACKAGES[server].packages.join(', ')} hold no ${PACKAGES[server].program}`,
    )
  return program
}
