import t from 'tap'
import { openQueue } from '@payment-tracking/queue'
import { openRedis } from '@payment-tracking/redis'
import { waitFor } from '@payment-tracking/testkit'
import { startRedisCluster } from './start-redis-cluster.js'

t.test('probe', async t => {
  const started = Date.now()
  const cluster = await startRedisCluster(t)
  console.log('started', Date.now() - started, cluster.env)
  const config = { REDIS_URL: cluster.env.REDIS_URL, REDIS_CLUSTER: true, ENVIRONMENT: 'test', onError: (e: Error) => console.log('E', e.message) }
  const redis = openRedis(config)
  const queue = openQueue(config)
  t.teardown(() => Promise.all([redis.close(), queue.close()]))
  await waitFor(() => Promise.all([redis.ping(), queue.ping()]).then(() => true), { what: 'it' })
  console.log('connected', Date.now() - started)
  await queue.enqueueDeliveries([{ id: 1n, webhookId: 1n }])
  await cluster.failOverEach()
  console.log('failed over', Date.now() - started)
  await cluster.moveSlotOf('{payment-tracking:test}')
  console.log('moved', Date.now() - started)
  await waitFor(() => Promise.all([redis.ping(), queue.ping()]).then(() => true), { what: 'it' })
  t.equal(await queue.countWaiting(), 1)
})
