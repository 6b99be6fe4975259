// What `npm start` says of settings and servers that it cannot work with. Nothing is started in any of these tests.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen, createDatabase, startStack, useServers, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'

t.setTimeout(300_000)

/** Starts with these settings and waits for the end. @returns what was printed */
async function refusalOf(t: TestContext, env: Record<string, string>, dataDir?: string): Promise<string> {
  const stack = await startStack(t, env, { waitUntilReady: false, ...(dataDir && { dataDir }) })
  const code = await stack.exited
  if (code !== 1) throw new Error(`ended with ${code}:\n${stack.output()}`)
  return stack.output()
}

async function temporaryDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-test-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  return dir
}

t.test('one error reports all bad variables, those that could only be guessed at too', async t => {
  const bad = {
    PORT: 'eighty',
    ENVIRONMENT: 'Not A Name',
    NATS_URL: 'http://example.com',
    RATE_LIMIT_MAX: 'many',
    OPS_TOKEN: 'short',
    TRUST_PROXY: 'yes',
    CORS_ORIGIN: 'shop.example',
  }
  const output = await refusalOf(t, { ...bad, HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
  for (const name of Object.keys(bad)) t.match(output, new RegExp(`^  - ${name} `, 'm'))
  t.match(output, /WEBHOOK_ALLOW_PRIVATE_TARGETS is only allowed when HOST is a loopback address/)
  t.notMatch(output, /starting/)
})

t.test('an archive without a place is refused before anything starts', async t => {
  const months = { EVENTS_RETENTION_MONTHS: '3' }
  const output = await refusalOf(t, months)
  t.match(output, /^ {2}- EVENTS_ARCHIVE is not set, and EVENTS_RETENTION_MONTHS is: name the directory/m)
  t.notMatch(output, /starting/)
  const nowhere = await refusalOf(t, { ...months, EVENTS_ARCHIVE: '/nowhere/at/all' })
  t.match(nowhere, /^ {2}- EVENTS_ARCHIVE names \/nowhere\/at\/all, which is no directory: make it/m)
  t.notMatch(nowhere, /starting/)
})

t.test('keys that cannot sign are refused before anything starts, and not shown', async t => {
  const half = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}'
  const output = await refusalOf(t, { JWT_PRIVATE_KEYS: half, CHECKOUT_TOKEN_KEYS: 'nonsense' })
  t.match(output, /^ {2}- JWT_PRIVATE_KEYS holds no private Ed25519 JWK as key 1; leave the setting out/m)
  t.match(output, /^ {2}- CHECKOUT_TOKEN_KEYS is not JSON; /m)
  t.notMatch(output, /AAAA|nonsense|starting/)
  const empty = await refusalOf(t, { JWT_PRIVATE_KEYS: '[]' })
  t.match(empty, /JWT_PRIVATE_KEYS holds no key;/)
})

t.test('errors name the setting, and the way out: a taken port, and a HOST that is no address', async t => {
  const holder = createServer()
  const port = await listen(t, holder)
  const output = await refusalOf(t, { OPS_PORT: String(port), HOST: '203.0.113.7' })
  t.match(output, `OPS_PORT: port ${port} is taken on 127.0.0.1`)
  t.match(output, 'HOST: 203.0.113.7 is no address of this machine')
  t.notMatch(output, /starting/)
  const takenPort = await refusalOf(t, { PORT: String(port) })
  t.match(takenPort, new RegExp(`PORT: port ${port} is taken[^]*PORT=\\d+\\s+npm start`))
})

t.test('servers that do not answer, and a missing database, are named by their settings', async t => {
  const url = new URL((await useServers(t)).databaseUrl)
  url.pathname = '/never_made'
  const output = await refusalOf(t, {
    DATABASE_URL: url.href,
    REDIS_URL: 'redis://:secret@127.0.0.1:1',
    NATS_URL: 'nats://127.0.0.1:1',
    DATABSE_URL: 'postgres://typing-error',
  })
  t.match(output, 'DATABASE_URL names the database "never_made", which does not exist')
  t.match(output, 'REDIS_URL: Redis at redis://:***@127.0.0.1:1 cannot be reached (ECONNREFUSED)')
  t.match(output.replace(/\s+/g, ' '), 'Start it, or leave REDIS_URL out to have one started here')
  t.match(output, 'NATS_URL: NATS at nats://127.0.0.1:1 cannot be reached (ECONNREFUSED)')
  t.notMatch(output, /secret|starting/)
  t.notMatch(output, /did you mean/, 'a setting that is set is not what was meant')
  const { pool } = await createDatabase(t)
  const { rowCount } = await pool.query("select from pg_database where datname = 'never_made'")
  t.equal(rowCount, 0, 'the database was not made')
})

t.test('the error for a misspelt setting names the right setting', async t => {
  const output = await refusalOf(t, { DATABSE_URL: 'postgres://x', RATE_LIMIT_MX: '5', HOST: '203.0.113.7' })
  t.match(output, 'DATABSE_URL is no setting and is ignored; did you mean DATABASE_URL?')
  t.match(output, 'RATE_LIMIT_MX is no setting and is ignored; did you mean RATE_LIMIT_MAX?')
})

t.test(
  'a DATA_DIR where no folder can be made is refused at once',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async t => {
    const output = await refusalOf(t, { DATA_DIR: '/proc/nowhere' })
    t.match(output, 'DATA_DIR: /proc/nowhere cannot be used (ENOENT)')
  },
)

t.test('the error for a DATA_DIR that is a file says so', async t => {
  const file = join(await temporaryDir(t), 'file')
  await writeFile(file, '')
  const output = await refusalOf(t, { DATA_DIR: file })
  t.match(output, `DATA_DIR: ${file} cannot be used`)
  t.match(output, 'is a file')
})

t.test('a damaged key file is named, with its cure, and no setting is blamed', async t => {
  const dataDir = await temporaryDir(t)
  await writeFile(join(dataDir, 'jwt-keys.json'), '{"keys":[{"kty":"OKP"')
  const output = await refusalOf(t, {}, dataDir)
  t.match(
    output.replace(/\s+/g, ' '),
    `${join(dataDir, 'jwt-keys.json')} is damaged: restore it from a backup, or delete it`,
  )
  t.notMatch(output, /JWT_PRIVATE_KEYS|starting/)
})
