// The release before the newest migration, from the repository's own history: its last commit, checked out and built
// beside this one. Kept below node_modules/.cache, so that only the first run on a machine builds it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/payment-tracking/releases')
const MIGRATIONS = 'prisma/migrations'
/** What the services need besides what is in their folders. */
const ROOMS = ['packages', 'services']

export interface Release {
  commit: string
  /** Where its services/<name>/dist/service.js lie. */
  root: string
  migrationsDir: string
}

const exec = promisify(execFile)
const run = async (file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> =>
  (await exec(file, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 })).stdout.trim()

/**
 * The last commit before the newest migration, or before the one that is named.
 * @returns why it cannot be known, as text
 */
export async function findLastRelease(before?: string): Promise<{ commit: string; newest: string } | string> {
  const entries = await readdir(join(ROOT, MIGRATIONS), { withFileTypes: true })
  const migrations = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  const newest = before ?? migrations.sort().at(-1)!
  const git = (...args: string[]) => run('git', args, ROOT)
  try {
    const file = `${MIGRATIONS}/${newest}/migration.sql`
    const added = (await git('log', '--diff-filter=A', '--format=%H', '--', file)).split('\n').at(-1)
    // Not committed yet: the release is what is committed.
    if (!added) return { commit: await git('rev-parse', 'HEAD'), newest }
    // In a shallow clone the oldest commit that is there seems to have added everything.
    return { commit: await git('rev-parse', '--verify', '--quiet', `${added}^`), newest }
  } catch {
    return `the history does not reach behind ${newest}; a full clone, or \`git fetch --unshallow\`, brings it`
  }
}

/** Builds the services of that commit, unless an earlier run did. */
export async function buildRelease(commit: string): Promise<Release> {
  const root = join(CACHE, commit)
  if (!existsSync(root)) {
    await mkdir(CACHE, { recursive: true })
    await removeOldBuilds()
    const work = await mkdtemp(join(CACHE, '.build-'))
    await checkOut(commit, work)
    await linkModules(work)
    await compile(work)
    await rename(work, root)
  }
  return { commit, root, migrationsDir: join(root, MIGRATIONS) }
}

/** Of each release that a test upgrades from, the newest build is needed again. */
const KEPT_BUILDS = 2

async function removeOldBuilds(): Promise<void> {
  const builds = await Promise.all(
    (await readdir(CACHE)).map(async name => ({ name, madeAt: (await stat(join(CACHE, name))).mtimeMs })),
  )
  const old = builds.sort((a, b) => b.madeAt - a.madeAt).slice(KEPT_BUILDS - 1)
  for (const { name } of old) await rm(join(CACHE, name), { recursive: true, force: true })
}

/** With an index of its own: neither the work tree nor the index of the repository notices. */
async function checkOut(commit: string, target: string): Promise<void> {
  const env = { GIT_INDEX_FILE: join(target, '.index') }
  await run('git', ['read-tree', commit], ROOT, env)
  await run('git', ['checkout-index', '--all', `--prefix=${target}/`], ROOT, env)
}

/**
 * Our packages are the release's own; everybody else's are found further up, in the repository's node_modules. Those
 * of today serve it as well: a new version of a library is no part of this test. A library that only the release
 * still needs (@fastify/helmet) stays in test/package.json until the next migration makes a newer commit the release.
 */
async function linkModules(work: string): Promise<void> {
  const link = async (target: string, place: string) => {
    await mkdir(dirname(place), { recursive: true })
    await symlink(relative(dirname(place), target), place)
  }
  for (const room of ROOMS) {
    for (const name of await readdir(join(work, room))) {
      await link(join(work, room, name), join(work, 'node_modules/@payment-tracking', name))
      // Versions of its own that npm could not put at the top.
      const own = join(ROOT, room, name, 'node_modules')
      if (existsSync(own)) await link(own, join(work, room, name, 'node_modules'))
    }
  }
  await link(join(ROOT, 'node_modules/prisma'), join(work, 'node_modules/prisma'))
}

async function compile(work: string): Promise<void> {
  const services = (await readdir(join(work, 'services'))).map(name => `services/${name}`)
  try {
    await run(process.execPath, ['packages/store/scripts/generate.mjs'], work)
    await run(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc'), '-b', ...services], work)
    // Compiled is enough: what a bundle holds is the same.
    for (const service of services)
      await writeFile(join(work, service, 'dist/service.js'), "import './main.js'\n")
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const why = 'the last release does not build with the libraries of today'
    const cure =
      'If it needs one that was dropped since, keep that in test/package.json until the next migration.'
    throw new Error(`${why}:\n${stdout}${stderr}\n${cure}`, { cause: error })
  }
}
