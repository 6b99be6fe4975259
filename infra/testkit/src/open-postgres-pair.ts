// A primary and streaming standbys of real Postgres. One address leads to the primary, so that a test can promote a standby.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync } from 'node:fs'
import { appendFile, chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort, findPostgres, findPostgresAccount } from '@payment-tracking/stack'
import { queryOnce, withClient } from './create-database.js'
import { openLink } from './open-link.js'
import type { TestContext } from './test-context.js'
import { waitFor } from './wait-for.js'

const run = promisify(execFile)

const USER = 'app'
/** A standby connects again some seconds after its primary is back, and a busy machine replays slowly. */
const CATCH_UP_MS = 120_000
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach(child => child.kill('SIGKILL')))

/** @param options.standbys how many follow the primary */
export async function openPostgresPair(t: TestContext, { standbys: count = 1 }: { standbys?: number } = {}) {
  const account = findPostgresAccount()
  const { binDir } = findPostgres(process.env.PATH ?? '', account)
  const who = account ? { uid: account.uid, gid: account.gid } : {}
  const home = await mkdtemp(join(tmpdir(), 'payment-tracking-pair-'))
  // Teardowns run in reverse, so the servers are killed before this. Their workers may still write for a moment: hence retries.
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 20 }))
  if (account) chownSync(home, account.uid, account.gid)
  await chmod(home, 0o711)
  const primaryDir = join(home, 'primary')
  const open = async (dir: string) => {
    const port = await findFreePort()
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'max_connections=300',
      // A standby that lost its connection for a while must find what it missed: killed primaries remove it as they start.
      'wal_keep_size=4GB',
    ]
    const args = ['-D', dir, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])]
    let child: ChildProcess
    let ended: Promise<void>
    const start = async () => {
      // The workers of a killed server end only when they notice; a new server cannot start before.
      await waitFor(
        async () => {
          const started = spawn(join(binDir, 'postgres'), args, { cwd: '/', stdio: 'ignore', ...who })
          child = started
          running.add(started)
          ended = new Promise<void>(resolve => started.once('exit', () => resolve()))
          void ended.then(() => running.delete(started))
          const answers = waitFor(() => ask(port, 'select 1').then(() => true), {
            what: `Postgres in ${dir}`,
          })
          return Promise.race([answers.then(() => true), ended.then(() => false)])
        },
        { what: `a start of Postgres in ${dir}` },
      )
    }
    const kill = async () => {
      child.kill('SIGKILL')
      await ended
    }
    await start()
    t.teardown(kill)
    return {
      port,
      get pid() {
        return child.pid!
      },
      kill,
      async restart() {
        await rm(join(dir, 'postmaster.pid'), { force: true })
        await start()
      },
    }
  }

  await run(
    join(binDir, 'initdb'),
    ['-D', primaryDir, '-U', USER, '-A', 'trust', '--encoding=UTF8', '--locale=C'],
    {
      cwd: '/',
      ...who,
    },
  )
  const primary = await open(primaryDir)
  const servers: (typeof primary)[] = []
  for (let at = 0; at < count; at++) {
    const dir = join(home, `standby-${at}`)
    await copyRunning(primary.port, primaryDir, dir)
    if (account) await run('chown', ['-R', `${account.uid}:${account.gid}`, dir])
    servers.push(await open(dir))
  }

  let current = primary
  const link = await openLink(t, urlOf(primary.port))
  const standbys = servers.map(server => describeStandby(primary, server))
  for (const standby of standbys)
    await waitFor(() => standby.isReplicating(), { what: 'a standby to replicate' })
  return {
    /** The address for services: it leads to the primary, and after `promote` to the standby. */
    url: link.url,
    /** All; `promote` promotes the first. */
    standbys,
    standbyCaughtUp: () => standbys[0]!.caughtUp(),
    cutReplication: () => standbys[0]!.cut(),
    /** Kills the primary, promotes the first standby, and leads the address to it. */
    async promote() {
      await primary.kill()
      await ask(servers[0]!.port, 'select pg_promote()')
      current = servers[0]!
      link.leadTo(urlOf(current.port))
      link.cut()
    },
    get pid() {
      return current.pid
    },
    kill: () => current.kill(),
    restart: () => current.restart(),
  }
}

/** A standby by its own address. */
function describeStandby(primary: { port: number }, server: { port: number; readonly pid: number }) {
  const isReplicating = async () =>
    (await ask<{ count: string }>(server.port, 'select count(*) from pg_stat_wal_receiver'))[0]!.count === '1'
  return {
    url: urlOf(server.port),
    get pid() {
      return server.pid
    },
    isReplicating,
    /** Resolves when it has replayed every commit. */
    async caughtUp() {
      const [head] = await ask<{ lsn: string }>(primary.port, 'select pg_current_wal_lsn()::text as lsn')
      await waitFor(
        async () =>
          (
            await ask<{ done: boolean }>(
              server.port,
              `select pg_last_wal_replay_lsn() >= '${head!.lsn}'::pg_lsn as done`,
            )
          )[0]!.done,
        { timeoutMs: CATCH_UP_MS, what: 'a standby to catch up' },
      )
    },
    /** Later commits do not reach it. */
    async cut() {
      await ask(server.port, `alter system set primary_conninfo = ''`)
      await ask(server.port, 'select pg_reload_conf()')
      await waitFor(async () => !(await isReplicating()), { what: 'a standby to be cut off' })
    },
  }
}

export type PostgresPair = Awaited<ReturnType<typeof openPostgresPair>>

const urlOf = (port: number) => `postgresql://${USER}@127.0.0.1:${port}/postgres`

const ask = <T extends object>(port: number, sql: string): Promise<T[]> => queryOnce<T>(urlOf(port), sql)

/** A base backup by copying, as the documentation of Postgres describes it: the npm binaries bring no pg_basebackup. */
async function copyRunning(port: number, from: string, to: string): Promise<void> {
  await withClient(urlOf(port), async client => {
    await client.query(`select pg_backup_start('pair', true)`)
    await cp(from, to, { recursive: true, filter: path => !path.endsWith('postmaster.pid') })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeFile(join(to, 'backup_label'), rows[0]!.labelfile)
  })
  await writeFile(join(to, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${port} user=${USER}`
  await appendFile(join(to, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`)
  await chmod(to, 0o700)
}
