// What ingest announces and enqueues after a commit, while one of the two sinks is away.
import { openQueue } from '@payment-tracking/queue'
import { openRedis } from '@payment-tracking/redis'
import { createLogger } from '@payment-tracking/runtime'
import { commitBatch, type CommittedChanges } from '@payment-tracking/store/ingest'
import { sweepDeliveries } from '@payment-tracking/store/deliveries'
import {
  buildBatch,
  buildChain,
  insertWebhook,
  openTestStore,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { buildSinks } from '../src/outbox-relay/build-sinks.js'
import { OutboxRelay, type RelaySinks } from '../src/outbox-relay/outbox-relay.js'
import { Sweeper } from '../src/outbox-relay/sweeper.js'

const NOWHERE = 'redis://127.0.0.1:1'
const SWEEP_EVERY_MS = 20
const SWEEPS = 5

/** A committed payment with one delivery; what was announced, and how many jobs of deliveries wait. */
async function openCommitted(t: TestContext) {
  const { store, pool } = await openTestStore(t)
  const redis = await useRedis(t)
  const environment = `e${randomBytes(4).toString('hex')}`
  const chain = buildChain({ seed: environment })
  const gateway = await chain.openGateway()
  const userPayment = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'order' })
  await insertWebhook(pool, gateway.address)
  const committed: CommittedChanges = await commitBatch(
    store,
    buildBatch([gateway.created, userPayment.created, policy.created, chain.pay(policy)]),
  )
  const announced: string[] = []
  const listener = redis.client.duplicate()
  t.teardown(() => listener.disconnect())
  listener.on('pmessageBuffer', (_pattern, channel: Buffer) => void announced.push(channel.toString()))
  await listener.psubscribe(`*${environment}*`)
  const failures: { msg: string; sink?: string }[] = []
  const log = createLogger(
    'test',
    { LOG_LEVEL: 'warn', ENVIRONMENT: environment },
    { write: line => void failures.push(JSON.parse(line)) },
  )
  const startSweeper = (sinks: RelaySinks) => {
    const sweeper = new Sweeper(store, sinks, SWEEP_EVERY_MS, log)
    t.teardown(() => sweeper.stop())
    sweeper.start()
    return sweeper
  }
  const connect = async (urls: { redis: string; queue: string }) => {
    const connections = openRedis({ REDIS_URL: urls.redis, ENVIRONMENT: environment })
    const queue = openQueue({ REDIS_URL: urls.queue, ENVIRONMENT: environment })
    t.teardown(() => Promise.all([connections.close(), queue.close()]))
    if (urls.redis !== NOWHERE) await waitFor(() => connections.ping().then(() => true), { what: 'Redis' })
    if (urls.queue !== NOWHERE) await queue.connected()
    return { sinks: buildSinks(connections, queue), queue }
  }
  return {
    store,
    pool,
    log,
    startSweeper,
    committed,
    announced,
    redisUrl: redis.url,
    connect,
    failedSweeps: () => failures.filter(({ msg }) => msg === 'batch.sweep-failed').length,
    failedSinks: () => failures.filter(({ msg }) => msg === 'batch.relay-failed').map(({ sink }) => sink),
    isRelayed: async () =>
      (await pool.query('select 1 from ingest_batches where relayed_at is null')).rowCount === 0,
  }
}

t.test('without the Redis of sockets every delivery was enqueued again by each sweep', async t => {
  const of = await openCommitted(t)
  const away = await of.connect({ redis: NOWHERE, queue: of.redisUrl })
  const relay = new OutboxRelay(of.store, away.sinks, of.log)
  relay.start([of.committed])
  await relay.drain()
  t.same(of.failedSinks(), ['announce'])
  t.equal((await away.queue.countWaiting()).first, 1, 'the delivery is enqueued all the same')
  t.notOk(await of.isRelayed())

  await of.pool.query(`update ingest_batches set committed_at = now() - interval '1 min'`)
  const replicas = [away, away].map(({ sinks }) => of.startSweeper(sinks))
  await waitFor(() => of.failedSweeps() >= SWEEPS, { what: 'sweeps of two replicas' })
  for (const replica of replicas) await replica.stop()
  t.equal((await away.queue.countWaiting()).first, 1, 'once')
  t.same(of.announced, [])

  const back = await of.connect({ redis: of.redisUrl, queue: NOWHERE })
  of.startSweeper(back.sinks)
  await waitFor(() => of.isRelayed(), { what: 'the announcement' })
  await waitFor(() => of.announced.length > 0, { what: 'the message' })
})

t.test('without the Redis of the queue every payment was announced again by each sweep', async t => {
  const of = await openCommitted(t)
  const { sinks } = await of.connect({ redis: of.redisUrl, queue: NOWHERE })
  const relay = new OutboxRelay(of.store, sinks, of.log)
  relay.start([of.committed])
  await relay.drain()
  t.same(of.failedSinks(), ['enqueue'])
  t.ok(await of.isRelayed(), 'nothing is left to announce')
  const swept = (await sweepDeliveries(of.store, { overdueMs: 0, againMs: 60_000, limit: 10 })).deliveries
  t.same(swept, of.committed.deliveries, 'a worker finds the delivery')
})
