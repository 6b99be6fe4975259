// OpenStack Swift with its S3 API, from Debian's packages: one node below /var/tmp, on loopback.
import { spawn, execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '@payment-tracking/stack'
import { waitFor, type TestContext } from '@payment-tracking/testkit'
import { S3mini } from 's3mini'
import type { S3Store } from './open-s3.js'

const run = promisify(execFile)
const KINDS = ['account', 'container', 'object'] as const
const PACKAGES = ['swift-proxy', ...KINDS.map(kind => `swift-${kind}`)]
const LIMITED = ['other', 'reader', 'writer']
const isInstalled = () => existsSync('/usr/bin/swift-proxy-server')

/** @returns why Swift cannot run here; null when it is installed */
export async function installSwift(): Promise<string | null> {
  if (isInstalled()) return null
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return 'Swift needs root on Debian'
  // One at a time, no questions, and no server is started.
  const apt = (...args: string[]) =>
    run('flock', ['/tmp/payment-tracking-apt.lock', 'apt-get', '-q', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      maxBuffer: 64 * 1024 * 1024,
    })
  const install = () => apt('install', '-y', '--no-install-recommends', ...PACKAGES)
  await install().catch(() => apt('update').then(install))
  return null
}

/** Swift gives a server half a second to connect, and after some errors passes over it for a minute: a busy machine needs more. */
const PATIENCE = 'conn_timeout = 60\nnode_timeout = 60\nerror_suppression_interval = 0\n'

const filterOf = (name: string): string => `[filter:${name}]\nuse = egg:swift#${name}\n`

export interface Swift extends S3Store {
  withoutRights: Record<string, string>[]
  /** Kills the server of objects. */
  kill(): void
  /** Starts it again. */
  restart(): Promise<void>
}

/** The key of AWS_ACCESS_KEY_ID owns the bucket. The keys of `withoutRights` may do nothing there, only get, or only put. */
export async function openSwift(t: TestContext): Promise<Swift> {
  // Its files have extended attributes, which file systems in memory may lack.
  const directory = await mkdtemp('/var/tmp/swift-')
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 20 }))
  mkdirSync(join(directory, 'devices/d1'), { recursive: true })
  const start = (program: string, port: number, lines: string) => {
    const file = join(directory, `${program}.conf`)
    writeFileSync(
      file,
      `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nswift_dir = ${directory}\nuser = root\nworkers = 0\n${PATIENCE}${lines}`,
    )
    const launch = () => spawn(`/usr/bin/${program}`, [file], { stdio: 'ignore' })
    let child = launch()
    t.teardown(() => child.kill('SIGKILL'))
    return { kill: () => child.kill('SIGKILL'), again: () => (child = launch()) }
  }
  /** The one that is started last: of objects. */
  let server: ReturnType<typeof start>
  for (const kind of KINDS) {
    const port = await findFreePort()
    const ring = (...args: string[]) =>
      run('swift-ring-builder', [join(directory, `${kind}.builder`), ...args])
    await ring('create', '4', '1', '1')
    await ring('add', `r1z1-127.0.0.1:${port}/d1`, '1')
    await ring('rebalance')
    server = start(
      `swift-${kind}-server`,
      port,
      `devices = ${join(directory, 'devices')}\nmount_check = false\n` +
        `[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
    )
  }
  const port = await findFreePort()
  const filters = ['catch_errors', 'gatekeeper', 's3api', 'copy', 'slo', 'dlo', 'tempauth']
  start(
    'swift-proxy-server',
    port,
    `[pipeline:main]\npipeline = catch_errors gatekeeper cache s3api tempauth copy slo dlo proxy-server\n` +
      `[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n${filters.map(filterOf).join('')}` +
      `user_payments_archive = archiving .admin\n${LIMITED.map(user => `user_payments_${user} = limited\n`).join('')}` +
      // The cache is needed, and may be away.
      `${filterOf('cache').replace('swift#cache', 'swift#memcache')}memcache_servers = 127.0.0.1:1\n`,
  )
  const endpoint = `http://127.0.0.1:${port}`
  const keyOf = (id: string, secret: string) => ({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret })
  const bucket = new S3mini({
    accessKeyId: 'payments:archive',
    secretAccessKey: 'archiving',
    region: 'us-east-1',
    endpoint: `${endpoint}/payments`,
    // S3 has no names for these rights. They are set when the bucket is made.
    fetch: (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('x-container-read', 'payments:reader')
      headers.set('x-container-write', 'payments:writer')
      return fetch(input, { ...init, headers })
    },
  })
  // The bucket needs the servers of accounts and containers, an object all three.
  const isServing = async () => {
    if (!(await bucket.bucketExists())) await bucket.createBucket()
    await bucket.putObject('started', 'yes')
    return (await bucket.getObject('started')) === 'yes'
  }
  const untilServing = () => waitFor(isServing, { what: 'Swift', timeoutMs: 300_000 })
  await untilServing()
  return {
    location: 's3://payments/old months',
    port,
    directory,
    env: { ...keyOf('payments:archive', 'archiving'), AWS_ENDPOINT_URL: endpoint },
    kill: () => void server.kill(),
    restart: async () => {
      server.again()
      await untilServing()
    },
    withoutRights: LIMITED.map(user => keyOf(`payments:${user}`, 'limited')),
  }
}
