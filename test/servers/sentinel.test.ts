// Redis behind Sentinels: the primary dies, a replica takes its place, and the clients of this repository follow.
import { openQueue } from '@payment-tracking/queue'
import { openRedis } from '@payment-tracking/redis'
import { makeDeliveryRef, waitFor } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import t from 'tap'
import { startSentinels } from './start-sentinels.js'

t.test('clients find the primary by Sentinels, and follow a failover without a restart', async t => {
  const sentinels = await startSentinels(t)
  const [primary, replica] = sentinels.servers
  const config = { ...sentinels.settings, ENVIRONMENT: 'test' }
  const redis = openRedis(config)
  const queue = openQueue(config)
  t.teardown(() => Promise.all([redis.close(), queue.close()]))
  await waitFor(
    () =>
      redis
        .ping()
        .then(() => queue.ping())
        .then(() => true),
    { what: 'the primary' },
  )
  await queue.enqueueDeliveries([makeDeliveryRef(1n)])
  const direct = new Redis(replica.url)
  t.teardown(() => direct.disconnect())
  await waitFor(async () => (await direct.dbsize()) > 0, { what: 'the replica to have the job' })

  await primary.kill()
  const startedAt = Date.now()
  await waitFor(() => queue.enqueueDeliveries([makeDeliveryRef(2n)]).then(() => true), {
    what: 'the queue to work on the replica that was promoted',
    timeoutMs: 30_000,
  })
  await waitFor(() => redis.ping().then(() => true), { what: 'the other connections', timeoutMs: 30_000 })
  t.comment(`works again ${((Date.now() - startedAt) / 1_000).toFixed(1)} s after the primary was killed`)
  t.match(await direct.info('replication'), /^role:master/m)
  t.equal((await queue.countWaiting()).first, 2, 'the job of before the failover is there')
})

t.test('each of the two settings needs the other', async t => {
  t.throws(
    () => openRedis({ REDIS_URL: 'redis://127.0.0.1:1', REDIS_MASTER: 'payments', ENVIRONMENT: 'test' }),
    {
      code: 'REDIS_UNSUPPORTED',
      message: /REDIS_SENTINELS and REDIS_MASTER/,
    },
  )
})
