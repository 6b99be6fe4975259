import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discardDataDir, identify, isAlive, openServers, type Servers } from '@payment-tracking/stack'
import { natsOptions, openPrivateServers, type TestContext, queryOnce } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { connect, type NatsConnection } from 'nats'
import t from 'tap'

async function temporaryDir(t: TestContext): Promise<string> {
  // Not named like the directories of tests: another test file would delete it while its owner is dead.
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-servers-'))
  t.teardown(() => discardDataDir(dir))
  return dir
}

const query = (url: string, sql: string) => queryOnce<Record<string, unknown>>(url, sql)

async function withNats<T>(url: string, work: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connect(natsOptions(url))
  try {
    return await work(nats)
  } finally {
    await nats.close()
  }
}

async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url)
  redis.on('error', () => {})
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

const pidsOf = (servers: Servers) => Object.values(servers.private).map(({ pid }) => pid)

t.test('killed servers come back on the same address with their data', async t => {
  const servers = await openPrivateServers(t)
  const { databaseUrl, redisUrl, natsUrl } = servers
  await query(databaseUrl, 'create table kept as select 1 as one')
  await withRedis(redisUrl, redis => redis.set('kept', '1'))
  await withNats(natsUrl, async nats => {
    const manager = await nats.jetstreamManager()
    await manager.streams.add({ name: 'KEPT', subjects: ['kept'] })
    await nats.jetstream().publish('kept', '1')
  })
  for (const server of Object.values(servers.private)) {
    const before = identify(server.pid)
    await server.kill()
    t.notOk(isAlive(before), `${server.name} is dead`)
    await server.restart()
    t.not(server.pid, before.pid, `${server.name} runs again`)
  }
  t.same(await query(databaseUrl, 'select one from kept'), [{ one: 1 }])
  t.equal(await withRedis(redisUrl, redis => redis.get('kept')), '1')
  const { state } = await withNats(natsUrl, async nats =>
    (await nats.jetstreamManager()).streams.info('KEPT'),
  )
  t.equal(state.messages, 1)
})

t.test('closing leaves no process, and the next start finds the data', async t => {
  const dataDir = await temporaryDir(t)
  const first = await openServers({ dataDir, durable: false })
  await query(first.databaseUrl, 'create table kept as select 1 as one')
  const processes = pidsOf(first).map(identify)
  await Promise.all([first.close(), first.close()])
  t.same(processes.filter(isAlive), [])
  const second = await openServers({ dataDir, durable: false })
  t.teardown(() => second.close())
  t.same(await query(second.databaseUrl, 'select one from kept'), [{ one: 1 }])
})

t.test('no server accepts a client without the password', async t => {
  const { databaseUrl, redisUrl, natsUrl } = await openPrivateServers(t)
  const without = (url: string) => {
    const bare = new URL(url)
    bare.password = ''
    return bare
  }
  await t.rejects(query(without(databaseUrl).href, 'select 1'))
  await t.rejects(
    withRedis(without(redisUrl).href, redis => redis.get('x')),
    { message: /NOAUTH/ },
  )
  await t.rejects(connect({ servers: without(natsUrl).host }), { message: /Authorization/i })
})

t.test('a data directory has one owner, until the owner is dead', async t => {
  const dataDir = await temporaryDir(t)
  const script = `
    const { openServers } = await import('@payment-tracking/stack')
    const { private: servers } = await openServers({ dataDir: ${JSON.stringify(dataDir)}, durable: false })
    console.log(JSON.stringify(Object.values(servers).map(({ pid }) => pid)))
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => owner.kill('SIGKILL'))
  const [line] = (await once(owner.stdout, 'data')) as [Buffer]
  await t.rejects(openServers({ dataDir }), {
    code: 'STACK_DATA_DIR_BUSY',
    message: new RegExp(`process ${owner.pid}.*DATA_DIR`),
  })

  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const adopting = await openServers({ dataDir, durable: false })
  t.teardown(() => adopting.close())
  t.same(pidsOf(adopting), JSON.parse(line.toString()), 'the servers that were left behind are adopted')
  t.ok(Object.values(adopting.private).every(({ adopted }) => adopted))
})

t.test('a server that is given by its URL is neither started nor stopped', async t => {
  const theirs = await openPrivateServers(t)
  const urls = { postgres: theirs.databaseUrl, redis: theirs.redisUrl, nats: theirs.natsUrl }
  const servers = await openServers({ dataDir: await temporaryDir(t), urls })
  t.match(servers, { databaseUrl: theirs.databaseUrl, redisUrl: theirs.redisUrl, natsUrl: theirs.natsUrl })
  t.same(servers.private, {})
  await servers.close()
  t.same(await query(theirs.databaseUrl, 'select 1 as one'), [{ one: 1 }])
})

t.test('an unavailable server ends in one message that names the cures, and nothing stays', async t => {
  const dataDir = await temporaryDir(t)
  const emptyPath = await temporaryDir(t)
  // No server, no package manager: only Node itself.
  await symlink(process.execPath, join(emptyPath, 'node'))
  const attempt = openServers({ dataDir, path: emptyPath, cacheDir: join(emptyPath, 'cache') })
  await t.rejects(attempt, {
    message: /Redis is missing[^]*apt-get install redis-server[^]*REDIS_URL[^]*NATS is missing[^]*NATS_URL/,
  })
  await t.resolves(discardDataDir(dataDir), 'the directory is free again')
})

t.test('the remains of a killed Postgres do not prevent a start', async t => {
  const dataDir = await temporaryDir(t)
  const first = await openServers({ dataDir, durable: false })
  await first.private.postgres!.kill()
  await first.close()
  const second = await openServers({ dataDir, durable: false })
  t.teardown(() => second.close())
  t.same(await query(second.databaseUrl, 'select 1 as one'), [{ one: 1 }])
})

t.test('root may keep its data where Postgres cannot go', { skip: process.getuid?.() !== 0 }, async t => {
  const closed = await temporaryDir(t) // open to its owner alone
  const dataDir = join(closed, 'data')
  t.teardown(() => discardDataDir(dataDir))
  const lines: string[] = []
  const servers = await openServers({ dataDir, durable: false, log: line => lines.push(line) })
  t.same(await query(servers.databaseUrl, 'select 1 as one'), [{ one: 1 }])
  const outside = /Postgres keeps its data in (.*)\/pg\d+$/.exec(
    lines.find(line => line.includes('keeps')) ?? '',
  )?.[1]
  t.ok(outside && existsSync(outside), 'it lies elsewhere, and that is said')
  await servers.close()
  await discardDataDir(dataDir)
  t.notOk(existsSync(outside!), 'and is deleted with the rest')
})
