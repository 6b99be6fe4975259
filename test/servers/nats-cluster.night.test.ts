// Three NATS servers and copies of each message on all: servers are killed and cut off while payments go on.
import { openBus } from '@payment-tracking/bus'
import { createLogger } from '@payment-tracking/runtime'
import { countOpenStreamGaps, openStore } from '@payment-tracking/store/core'
import {
  countRows,
  createDatabase,
  findArrivalProblems,
  startService,
  useRedis,
  waitFor,
  type StartedService,
} from '@payment-tracking/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openRig, pay, PROGRAM } from '../../services/indexer/test/open-rig.js'
import { startNatsCluster } from './start-nats-cluster.js'

const PATIENCE = { timeoutMs: 120_000 }
const SHOWN_LINES = 25

/** Payments on a chain, indexers, ingest and a database, over a cluster of NATS. */
async function openPipeline(t: Test) {
  const [cluster, database, redis] = await Promise.all([startNatsCluster(t), createDatabase(t), useRedis(t)])
  const rig = await openRig(t, { nodes: 2, natsUrl: cluster.env.NATS_URL, replicas: 3, env: cluster.env })
  const { stream, subjectPrefix } = rig.nats
  const services = new Map<string, StartedService>()
  const remember = async (name: string, starting: Promise<StartedService>) => {
    const service = await starting
    services.set(`${name} ${service.pid}`, service)
    return service
  }
  const startIngest = (env: Record<string, string> = {}) =>
    remember(
      'ingest',
      startService(t, 'ingest', {
        ...cluster.env,
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        ENVIRONMENT: redis.prefix,
        STREAM_NAME: stream,
        SUBJECT_PREFIX: subjectPrefix,
        PROGRAM_ID: PROGRAM,
        // What was on its way to a server that died comes again after this time.
        'ingest.ackWaitMs': '5000',
        ...env,
      }),
    )
  const startIndexer = (env: Record<string, string> = {}) => remember('indexer', rig.start(env))
  /** What does not come about is explained by what all said last. */
  const waitOrReport: typeof waitFor = (condition, options) =>
    waitFor(condition, { ...options, ...PATIENCE }).catch((error: unknown) => {
      for (const [name, { output }] of [
        ...services,
        ...cluster.nodes.map(node => [node.name, node] as const),
      ])
        t.comment(`${name} said last:\n${output.split('\n').slice(-SHOWN_LINES).join('\n')}`)
      throw error
    })
  const paid: string[] = []
  const paying = setInterval(() => {
    rig.chain.advance()
    paid.push(rig.chain.execute([pay('a', paid.length + 1)]).signature)
    rig.chain.finalize()
  }, 25)
  t.teardown(() => clearInterval(paying))
  const countStored = () => countRows(database.pool, 'events')
  return {
    cluster,
    rig,
    startIngest,
    startIndexer,
    /** Waits until whatever was paid until now is stored. */
    goesOn: async (what: string) => {
      const [paidBefore, startedAt] = [paid.length, Date.now()]
      const goes = async () => (await countStored()) > paidBefore
      await waitOrReport(goes, { what: `payments after ${what}` })
      t.comment(`${what}: what was paid before is stored after ${Date.now() - startedAt} ms`)
    },
    /** Ends the load, and compares what was paid with what is stored. */
    compare: async () => {
      clearInterval(paying)
      const isAll = async () => (await countStored()) >= paid.length
      await waitOrReport(isAll, { what: 'the last payment' })
      const { rows } = await database.pool.query<{ signature: string }>('select signature from events')
      t.equal(rows.length, paid.length, `${paid.length} payments, none twice`)
      t.same(new Set(rows.map(({ signature }) => signature)), new Set(paid))
      t.same(await findArrivalProblems(database.pool), [])
      const store = openStore({ DATABASE_URL: database.url, poolSize: 1 })
      t.teardown(() => store.close())
      t.equal(await countOpenStreamGaps(store), 0)
      const events = await waitOrReport(() => rig.events(), { what: 'the stream' })
      const contents = new Set(events.map(({ body }) => JSON.stringify(body)))
      const doubled = contents.size
      t.equal(doubled, paid.length, `what the stream holds twice is the same: ${events.length} messages`)
      t.ok(await waitOrReport(() => rig.gapsClosed(), { what: 'the gaps to be closed' }))
    },
  }
}

t.test('nothing is lost or doubled, and the lease moves only when its holder dies', async t => {
  const { cluster, rig, startIngest, startIndexer, goesOn, compare } = await openPipeline(t)
  const { stream } = rig.nats
  const indexers = [await startIndexer(), await startIndexer()]
  const ingests = [await startIngest(), await startIngest()]
  const holders: string[] = []
  let revision = 0
  const check = async () => {
    const entry = await rig.bus.peekKey(`INDEXER_${stream}`, 'lease').catch(() => undefined)
    // Checks overlap while no server answers.
    if (entry === undefined || entry.revision <= revision) return
    revision = entry.revision
    if (entry.value !== holders.at(-1)) holders.push(entry.value)
  }
  const watching = setInterval(() => void check(), 100)
  t.teardown(() => clearInterval(watching))

  await goesOn('the start')
  const leader = await cluster.leaderOf(stream)
  for (const node of [leader, ...cluster.nodes.filter(node => node !== leader)]) {
    await node.kill()
    await goesOn(`the death of ${node.name}`)
    await node.restart()
    await cluster.settle()
  }
  cluster.cut(await cluster.leaderOf(stream))
  await goesOn('the cut')
  cluster.heal()
  await goesOn('the healing')
  await cluster.settle()
  t.equal(holders.length, 1, `one indexer had the lease: ${holders.join()}`)

  const leading = indexers.find(({ logs }) => logs.some(({ msg }) => msg === 'indexer.leading'))!
  const [, killed] = await Promise.all([leading.stop('SIGKILL'), cluster.leaderOf(stream)])
  await killed.kill()
  await goesOn('the death of the indexer and of the leader')
  await waitFor(() => holders.length > 1, { what: 'a check of the lease', ...PATIENCE })
  await compare()
  t.equal(holders.length, 2, `the lease moved once: ${holders.join()}`)
  for (const ingest of ingests) t.equal(await ingest.stop(), 0)
})

t.test('services leave a server that is cut off from the others', async t => {
  const { cluster, rig, startIngest, startIndexer, goesOn, compare } = await openPipeline(t)
  const [lonely] = cluster.nodes
  // They learn of the other servers from this one.
  const atLonely = { NATS_URL: lonely!.url }
  await startIndexer(atLonely)
  await startIngest(atLonely)
  await goesOn('the start')
  cluster.cut(lonely!)
  await goesOn('the cut')
  const message = [`${rig.nats.subjectPrefix}.control.finalized`, Buffer.from('{"slot":1}'), 'an id'] as const
  const publish = () => waitFor(() => rig.bus.publish(...message), { what: 'the stream', ...PATIENCE })
  t.not(await publish(), await publish(), 'a cluster is sent no ids: servers before 2.9.21 lose count')
  cluster.heal()
  await compare()
})

t.test('a reader of the stream does not wait for a server that died', async t => {
  const cluster = await startNatsCluster(t)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus(cluster.env, 'reader', log)
  t.teardown(() => bus.close())
  const stream = { streamName: 'READ', subjectPrefix: 'read', replicas: 3 }
  await waitFor(() => bus.ensureStream(stream).then(() => true), { what: 'the stream', ...PATIENCE })
  const messages = Array.from({ length: 1_000 }, () => ({ subject: 'read.x', bytes: Buffer.alloc(100) }))
  await bus.publishAll(messages)
  await cluster.settle()
  const died = await cluster.leaderOf('READ')
  await died.kill()
  const read = async () => {
    let count = 0
    await bus.readAgain({ ...stream, from: 1, batchSize: 500 }, async batch => {
      count += batch.length
      return Promise.resolve(undefined)
    })
    return count === messages.length
  }
  await waitFor(read, { what: 'one that reads all', ...PATIENCE })
  // The servers choose which of them keeps a reader's place, and may choose the dead one.
  const ends = await Promise.all(
    Array.from({ length: 12 }, () =>
      Promise.race([read().catch(() => true), sleep(60_000, 'waits', { ref: false })]),
    ),
  )
  t.same([...new Set(ends)], [true], 'each has read all, or was told that it cannot')
})
