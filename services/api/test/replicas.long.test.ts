// Reads from two real standbys: none of them is asked for more than it knows, whatever happens to it.
// In one process with others: what tests load.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger, createMetrics, readConfig } from '@payment-tracking/runtime'
import { verifyDatabase } from '@payment-tracking/store/ingest'
import {
  createDatabase,
  isQuick,
  openPostgresPair,
  queryOnce,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import t from 'tap'
import { buildApp } from '../src/app.js'
import { ApiConfig } from '../src/config.js'
import { openApiDatabases } from '../src/open-api-databases.js'
import { appendEvents } from './append-events.js'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'

const MAX_LAG_MS = 400

async function openReplicatedApi(t: TestContext) {
  const pair = await openPostgresPair(t, { standbys: 2 })
  const database = await createDatabase(t, { serverUrl: pair.url })
  const on = (url: string) => Object.assign(new URL(url), { pathname: new URL(database.url).pathname }).href
  const replicaUrls = pair.standbys.map(({ url }) => on(url))
  for (const standby of pair.standbys) await standby.caughtUp()
  const logs: string[] = []
  const config = readConfig(ApiConfig, {
    DATABASE_URL: database.url,
    DATABASE_REPLICA_URLS: replicaUrls.join(', '),
    REPLICA_MAX_LAG_MS: String(MAX_LAG_MS),
    REDIS_URL: 'redis://127.0.0.1:1',
    JWT_PRIVATE_KEYS: makeSigningKeys(),
    RATE_LIMIT_MAX: '1000000',
  })
  const log = createLogger('api', config, { write: line => void logs.push(line) })
  const databases = await openApiDatabases(config, log, 2_000)
  const { store, reads } = databases
  const app = await buildApp({ config, log, store, reads, metrics: createMetrics() })
  t.teardown(async () => {
    await app.close()
    await databases.close()
  })
  /** Reads the newest event: its slot is the highest position that the answer knows. */
  const read = async (atLeast?: bigint) => {
    const headers = atLeast === undefined ? {} : { 'x-min-position': String(atLeast) }
    const answer = await app.inject({ url: '/v1/events?limit=1', headers })
    const known = answer.statusCode === 200 ? BigInt(answer.json<{ slot: number }[]>()[0]?.slot ?? 0) : null
    return { status: answer.statusCode, known, answered: BigInt(String(answer.headers['x-position'] ?? -1)) }
  }
  const problemOf = (at: number) => reads.replicas()[at]!.problem
  /** Waits while reads come. */
  const waitForProblem = (at: number, problem: string | null) =>
    waitFor(
      async () => {
        await read()
        return problemOf(at) === problem
      },
      { what: `replica ${at} to be ${problem ?? 'asked'}; it is ${problemOf(at)}` },
    )
  const countOn = (at: number) => reads.replicas()[at]!.reads
  return { pair, database, replicaUrls, reads, read, waitForProblem, problemOf, countOn, logs, store }
}

type Api = Awaited<ReturnType<typeof openReplicatedApi>>

/** Readers that each go on from what they know, while events are stored. @returns how many answers were behind */
async function readWhile(
  { read, database }: Api,
  work: (seen: { readonly answers: number }) => Promise<unknown>,
): Promise<Record<string, number>> {
  const seen = { answers: 0, stale: 0, overstated: 0, notYet: 0, other: 0 }
  let isOver = false
  let answered = 0n
  const write = async () => {
    while (!isOver) {
      answered = await appendEvents(database.url, 2).catch(() => answered)
      await sleep(5)
    }
  }
  const follow = async () => {
    while (!isOver) {
      const wanted = answered
      const { status, known, answered: position } = await read(wanted)
      if (status === 503) seen.notYet += 1
      else if (status !== 200) seen.other += 1
      else {
        seen.answers += 1
        if (known! < wanted) seen.stale += 1
        if (known! < position) seen.overstated += 1
      }
    }
  }
  const running = Promise.all([write(), follow(), follow(), follow()])
  await work(seen).finally(() => (isOver = true))
  await running
  return seen
}

const sqlOn = (url: string, text: string) => queryOnce(url, text)

t.test('two standbys answer reads', { timeout: 180_000 }, async t => {
  const api = await openReplicatedApi(t)
  const { pair, database, replicaUrls, read, waitForProblem, countOn, reads } = api
  const verify = () =>
    verifyDatabase(api.store, { readRecord: () => Promise.resolve(null), reingestMargin: 0 })
  await verify() // as ingest does at its start
  await appendEvents(database.url, 10)
  for (const at of [0, 1]) await waitForProblem(at, null)

  await t.test('and the primary is spared', async t => {
    const before = reads.primaryReads()
    const counts = [countOn(0), countOn(1)]
    for (let i = 0; i < 20; i++) t.match(await read(), { status: 200 })
    t.equal(reads.primaryReads(), before)
    for (const at of [0, 1]) t.ok(countOn(at) - counts[at]! >= 8, 'each in turn')
  })

  await t.test('and nobody reads behind what was answered', async t => {
    const seen = await readWhile(api, seen => waitFor(() => seen.answers > 50, { what: '50 answers' }))
    t.match(seen, { stale: 0, overstated: 0, notYet: 0, other: 0 })
  })

  await t.test('one whose replay is paused is not asked', async t => {
    const seen = await readWhile(api, async () => {
      await sqlOn(replicaUrls[0]!, 'select pg_wal_replay_pause()')
      await waitForProblem(0, 'paused')
    })
    t.match(seen, { stale: 0, overstated: 0, other: 0, notYet: 0 })
    const [before, other] = [countOn(0), countOn(1)]
    for (let i = 0; i < 10; i++) t.match(await read(), { status: 200 })
    t.equal(countOn(0), before)
    t.ok(countOn(1) > other)
    await sqlOn(replicaUrls[0]!, 'select pg_wal_replay_resume()')
    await waitForProblem(0, null)
  })

  await t.test('one that hangs costs a second, and no answer', async t => {
    process.kill(pair.standbys[1]!.pid, 'SIGSTOP')
    await suspendChildren(pair.standbys[1]!.pid, 'SIGSTOP')
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 10 }, () => read()))
    t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
    isQuick(t, performance.now() - began, 3_000, 'answers while one hangs')
    await waitForProblem(1, 'unanswered')
    process.kill(pair.standbys[1]!.pid, 'SIGCONT')
    await suspendChildren(pair.standbys[1]!.pid, 'SIGCONT')
    await waitForProblem(1, null)
  })

  await t.test('one that is cut off is not asked after REPLICA_MAX_LAG_MS', async t => {
    const head = await appendEvents(database.url, 1)
    await pair.standbys[0]!.caughtUp()
    await pair.standbys[1]!.caughtUp()
    await pair.standbys[0]!.cut()
    await appendEvents(database.url, 5)
    await waitForProblem(0, 'behind')
    for (let i = 0; i < 6; i++) t.match(await read(head + 5n), { status: 200, known: head + 5n })
    t.ok(reads.replicas()[0]!.lagMs > MAX_LAG_MS)
  })

  await t.test('reads go on while the primary is away; after it lost commits none tells of them', async t => {
    await pair.standbys[1]!.caughtUp()
    const lost = (await read()).known!
    await pair.kill()
    for (let i = 0; i < 10; i++) t.match(await read(lost), { status: 200, known: lost })
    await reads.ping()
    t.match(await read(lost + 1n), { status: 503 }, 'nobody knows more')

    // The first standby lacks the last five commits; the second follows a primary that is gone.
    await pair.promote()
    await waitForProblem(1, 'ahead-of-primary')
    await waitForProblem(0, 'no-standby')
    const { change } = await waitFor(() => verify().catch(() => undefined), { what: 'the new primary' })
    t.ok(change, 'ingest notices')
    await waitForProblem(1, 'other-database')
    const counts = [countOn(0), countOn(1)]
    const again = await readWhile(api, () => sleep(1_000))
    t.match(again, { stale: 0, overstated: 0, other: 0 })
    t.same([countOn(0), countOn(1)], counts, 'neither is asked')
    const problems = api.logs.map(line => JSON.parse(line) as { msg: string; problem?: string })
    t.ok(problems.some(({ msg, problem }) => msg === 'replica.not-asked' && problem === 'other-database'))
  })
})

/** Postgres answers by children of its own: a host that hangs stops them too. */
async function suspendChildren(pid: number, signal: NodeJS.Signals): Promise<void> {
  const { readdir, readFile } = await import('node:fs/promises')
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (Number(/\) \S (\d+)/.exec(stat)?.[1]) === pid) process.kill(Number(name), signal)
  }
}
