// Three NATS servers and copies of each message on all: servers are killed and cut off while payments go on.
import {
  createDatabase,
  findArrivalProblems,
  startService,
  useRedis,
  waitFor,
} from '@payment-tracking/testkit'
import { countOpenStreamGaps, openStore } from '@payment-tracking/store'
import t, { type Test } from 'tap'
import { openRig, pay, PROGRAM } from '../../services/indexer/test/open-rig.js'
import { startNatsCluster } from './start-nats-cluster.js'

t.setTimeout(480_000)

const PATIENCE = { timeoutMs: 60_000 }

/** Payments on a chain, indexers, ingest and a database, over a cluster of NATS. */
async function openPipeline(t: Test) {
  const [cluster, database, redis] = await Promise.all([startNatsCluster(t), createDatabase(t), useRedis(t)])
  const rig = await openRig(t, { nodes: 2, natsUrl: cluster.env.NATS_URL, replicas: 3, env: cluster.env })
  const { stream, subjectPrefix } = rig.nats
  const startIngest = (env: Record<string, string> = {}) =>
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
    })
  const paid: string[] = []
  const paying = setInterval(() => {
    rig.chain.advance()
    paid.push(rig.chain.execute([pay('a', paid.length + 1)]).signature)
    rig.chain.finalize()
  }, 25)
  t.teardown(() => clearInterval(paying))
  const countStored = async () => {
    const { rows } = await database.pool.query<{ count: string }>('select count(*) from events')
    return Number(rows[0]!.count)
  }
  return {
    cluster,
    rig,
    startIngest,
    /** Waits until whatever was paid until now is stored. */
    goesOn: async (what: string) => {
      const [paidBefore, startedAt] = [paid.length, Date.now()]
      const goes = async () => (await countStored()) > paidBefore
      await waitFor(goes, { what: `payments after ${what}`, ...PATIENCE })
      t.comment(`${what}: what was paid before is stored after ${Date.now() - startedAt} ms`)
    },
    /** Ends the load, and compares what was paid with what is stored. */
    compare: async () => {
      clearInterval(paying)
      const isAll = async () => (await countStored()) >= paid.length
      await waitFor(isAll, { what: 'the last payment', ...PATIENCE })
      const { rows } = await database.pool.query<{ signature: string }>('select signature from events')
      t.equal(rows.length, paid.length, `${paid.length} payments, none twice`)
      t.same(new Set(rows.map(({ signature }) => signature)), new Set(paid))
      t.same(await findArrivalProblems(database.pool), [])
      const store = openStore({ DATABASE_URL: database.url, poolSize: 1 })
      t.teardown(() => store.close())
      t.equal(await countOpenStreamGaps(store), 0)
      const events = await waitFor(() => rig.events(), { what: 'the stream', ...PATIENCE })
      const contents = new Set(events.map(({ body }) => JSON.stringify(body)))
      t.equal(
        contents.size,
        paid.length,
        `what the stream holds twice is the same: ${events.length} messages`,
      )
      t.ok(await rig.gapsClosed())
    },
  }
}

t.test('nothing is lost or doubled, and the lease moves only when its holder dies', async t => {
  const { cluster, rig, startIngest, goesOn, compare } = await openPipeline(t)
  const { stream } = rig.nats
  const indexers = [await rig.start(), await rig.start()]
  const ingests = [await startIngest(), await startIngest()]
  const holders: string[] = []
  const watching = setInterval(() => {
    void rig.bus.peekKey(`INDEXER_${stream}`, 'lease').then(
      entry => entry && entry.value !== holders.at(-1) && holders.push(entry.value),
      () => {},
    )
  }, 100)
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
  await cluster.settle()
  await goesOn('the healing')
  t.equal(holders.length, 1, `one indexer had the lease: ${holders.join()}`)

  const leading = indexers.find(({ logs }) => logs.some(({ msg }) => msg === 'indexer.leading'))!
  const [, killed] = await Promise.all([leading.stop('SIGKILL'), cluster.leaderOf(stream)])
  await killed.kill()
  await goesOn('the death of the indexer and of the leader')
  t.equal(holders.length, 2, `the lease moved once: ${holders.join()}`)
  await compare()
  for (const ingest of ingests) t.equal(await ingest.stop(), 0)
})

t.test('services leave a server that is cut off from the others', async t => {
  const { cluster, rig, startIngest, goesOn, compare } = await openPipeline(t)
  const [lonely] = cluster.nodes
  // They learn of the other servers from this one.
  const atLonely = { NATS_URL: lonely!.url }
  await rig.start(atLonely)
  await startIngest(atLonely)
  await goesOn('the start')
  cluster.cut(lonely!)
  await goesOn('the cut')
  const message = [`${rig.nats.subjectPrefix}.control.finalized`, Buffer.from('{"slot":1}'), 'an id'] as const
  const publish = () => waitFor(() => rig.bus.publish(...message), { what: 'the stream', ...PATIENCE })
  t.not(
    await publish(),
    await publish(),
    'a cluster is sent no ids: servers before 2.9.21 lose count of those',
  )
  cluster.heal()
  await compare()
})
