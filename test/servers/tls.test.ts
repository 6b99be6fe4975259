// Postgres, Redis and NATS that demand a client certificate of a private authority, and services that bring one.
import { execFile } from 'node:child_process'
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openBus } from '@payment-tracking/bus'
import { openQueue } from '@payment-tracking/queue'
import { openRedis } from '@payment-tracking/redis'
import { createLogger } from '@payment-tracking/runtime'
import { findFreePort, findPostgres, findPostgresAccount, findServerProgram } from '@payment-tracking/stack'
import { migrate, openStore } from '@payment-tracking/store/core'
import { startProgram, startService, waitFor, type TestContext } from '@payment-tracking/testkit'
import { connect } from 'nats'
import t from 'tap'

const run = promisify(execFile)
const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })

/**
 * A private authority, and certificates of it for a server on this machine and for a client, the user `app`; all with their
 * keys in files of `dir`.
 */
async function makeCertificates(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-tls-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const openssl = (...args: string[]) => run('openssl', args, { cwd: dir })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await openssl('req', '-x509', ...newKey, '-subj', '/CN=private', '-keyout', 'ca.key', '-out', 'ca.pem')
  await writeFile(join(dir, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1')
  for (const [name, subject] of [
    ['server', '/CN=localhost'],
    ['client', '/CN=app'],
  ] as const) {
    const request = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
    await openssl('req', ...newKey.slice(0, -2), '-subj', subject, ...request)
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2']
    const signed = ['-in', `${name}.csr`, '-extfile', 'names', '-out', `${name}.pem`]
    await openssl('x509', '-req', ...authority, ...signed)
  }
  const read = (name: string) => readFile(join(dir, name), 'utf8')
  return {
    dir,
    ca: await read('ca.pem'),
    client: { cert: await read('client.pem'), key: await read('client.key') },
  }
}

type Certificates = Awaited<ReturnType<typeof makeCertificates>>

/** Waits until the server listens; who it answers is what the tests are about. */
const startAndWait = async (
  t: TestContext,
  name: string,
  ready: RegExp,
  ...start: [file: string, args: string[], options: { env?: NodeJS.ProcessEnv; uid?: number; gid?: number }]
) => {
  const server = startProgram(t, ...start)
  await waitFor(() => ready.test(server.output), { what: `${name} to listen`, timeoutMs: 30_000 }).catch(
    (error: Error) => {
      throw new Error(`${error.message}\n${server.output}`)
    },
  )
}

async function startPostgres(t: TestContext, { dir }: Certificates): Promise<string> {
  const account = findPostgresAccount()
  const who = account ? { uid: account.uid, gid: account.gid } : {}
  const { binDir } = findPostgres(process.env.PATH ?? '', account)
  const home = await mkdtemp(join(tmpdir(), 'payment-tracking-tls-pg-'))
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 20 }))
  if (account) await chown(home, account.uid, account.gid)
  const data = join(home, 'data')
  await run(join(binDir, 'initdb'), ['-D', data, '-U', 'app', '-A', 'trust', '--encoding=UTF8'], {
    cwd: '/',
    ...who,
  })
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all all trust clientcert=verify-full\n')
  for (const name of ['ca.pem', 'server.pem', 'server.key']) {
    const copy = join(data, name)
    await run('cp', [join(dir, name), copy])
    await chmod(copy, 0o600)
    if (account) await chown(copy, account.uid, account.gid)
  }
  const port = await findFreePort()
  const settings = [
    'ssl = on',
    "ssl_ca_file = 'ca.pem'",
    "ssl_cert_file = 'server.pem'",
    "ssl_key_file = 'server.key'",
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    `port = ${port}`,
  ]
  await appendFile(join(data, 'postgresql.conf'), `\n${settings.join('\n')}\n`)
  await startAndWait(t, 'Postgres', /ready to accept/, join(binDir, 'postgres'), ['-D', data], who)
  return `postgresql://app@localhost:${port}/payments`
}

async function startRedis(t: TestContext, { dir }: Certificates): Promise<string> {
  const [port, program] = [await findFreePort(), await findServerProgram('redis')]
  const files = ['ca-cert-file', 'ca.pem', 'cert-file', 'server.pem', 'key-file', 'server.key']
  const tls = files.map((word, n) => (n % 2 ? join(dir, word) : `--tls-${word}`))
  const rest = ['--port', '0', '--tls-port', String(port), '--save', '', '--maxmemory-policy', 'noeviction']
  await startAndWait(t, 'Redis', /Ready to accept/, program.file, [...tls, ...rest], { env: program.env })
  return `rediss://localhost:${port}`
}

async function startNats(t: TestContext, { dir }: Certificates): Promise<string> {
  const [port, program] = [await findFreePort(), await findServerProgram('nats')]
  const file = join(dir, 'nats.conf')
  const tls = `cert_file: "${dir}/server.pem", key_file: "${dir}/server.key", ca_file: "${dir}/ca.pem", verify: true`
  await writeFile(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${dir}/jetstream" }\ntls { ${tls} }\n`,
  )
  await startAndWait(t, 'NATS', /Server is ready/, program.file, ['-c', file], { env: program.env })
  return `tls://localhost:${port}`
}

t.test('a private authority and client certificates, for each server', async t => {
  const certificates = await makeCertificates(t)
  const { ca, client } = certificates
  const [DATABASE_URL, REDIS_URL, NATS_URL] = await Promise.all([
    startPostgres(t, certificates),
    startRedis(t, certificates),
    startNats(t, certificates),
  ])
  const ENVIRONMENT = 'test'

  t.test('Postgres', async t => {
    const tls = { DATABASE_TLS_CA: ca, DATABASE_TLS_CERT: client.cert, DATABASE_TLS_KEY: client.key }
    t.ok((await migrate({ DATABASE_URL, ...tls })).length > 0, 'migrations run')
    const store = openStore({ DATABASE_URL, ...tls })
    t.teardown(() => store.close())
    await store.ping()
    const nameless = openStore({ DATABASE_URL, DATABASE_TLS_CA: ca })
    t.teardown(() => nameless.close())
    await t.rejects(nameless.ping(), 'refused without a client certificate')
    const trusting = openStore({ DATABASE_URL: `${DATABASE_URL}?sslmode=verify-full`, poolSize: 1 })
    t.teardown(() => trusting.close())
    await t.rejects(trusting.ping(), 'the private authority is not trusted unless it is named')
  })

  t.test('Redis', async t => {
    const tls = { REDIS_TLS_CA: ca, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: client.key }
    const redis = openRedis({ REDIS_URL, ...tls, ENVIRONMENT })
    const queue = openQueue({ REDIS_URL, ...tls, ENVIRONMENT })
    t.teardown(() => Promise.all([redis.close(), queue.close()]))
    await waitFor(
      () =>
        redis
          .ping()
          .then(() => queue.ping())
          .then(() => true),
      { what: 'both connections' },
    )
    const errors: Error[] = []
    const nameless = openRedis({
      REDIS_URL,
      REDIS_TLS_CA: ca,
      ENVIRONMENT,
      onError: error => errors.push(error),
    })
    t.teardown(() => nameless.close())
    await waitFor(() => errors.length > 0, { what: 'the refusal without a client certificate' })
    await t.rejects(nameless.ping())
  })

  t.test('NATS', async t => {
    const tls = { NATS_TLS_CA: ca, NATS_TLS_CERT: client.cert, NATS_TLS_KEY: client.key }
    const bus = await openBus({ NATS_URL, ...tls }, 'test', log)
    t.teardown(() => bus.close())
    const stream = { streamName: 'TLS', subjectPrefix: 'tls' }
    await bus.ensureStream(stream)
    await bus.publish('tls.x', Buffer.from('x'))
    // openBus waits for a server that refuses, as it waits for one that is away; the bare client gives up.
    const bare = { servers: NATS_URL.replace('tls://', ''), tls: { ca }, reconnect: false, timeout: 3_000 }
    await t.rejects(connect(bare), 'refused without a client certificate')
  })

  t.test('a service reads all of it from files', async t => {
    const file = (name: string) => join(certificates.dir, name)
    const settings = ['DATABASE', 'REDIS', 'NATS'].flatMap(server => [
      [`${server}_TLS_CA_FILE`, file('ca.pem')],
      [`${server}_TLS_CERT_FILE`, file('client.pem')],
      [`${server}_TLS_KEY_FILE`, file('client.key')],
    ])
    const urls = { DATABASE_URL, REDIS_URL, NATS_URL, STREAM_NAME: 'INGEST', SUBJECT_PREFIX: 'ingest' }
    const ingest = await startService(t, 'ingest', { ...urls, ...Object.fromEntries(settings) })
    const { ready } = (await (await fetch(`${ingest.managementUrl}/readyz`)).json()) as { ready: boolean }
    t.equal(ready, true)
  })
})
