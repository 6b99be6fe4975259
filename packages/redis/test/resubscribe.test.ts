import { setImmediate as nextTick } from 'node:timers/promises'
import { useRedis, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRedis } from '../src/index.js'

t.test('a connection that closes while it subscribes again rejects nothing unhandled', async t => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  const redis = await useRedis(t)
  const connections = openRedis({ REDIS_URL: redis.url, ENVIRONMENT: redis.prefix })
  t.teardown(() => connections.close())
  const subscriber = connections.connect('subscriber', { enableOfflineQueue: true })
  await subscriber.subscribe('channel')
  await subscriber.psubscribe('pattern*')
  subscriber.once('ready', () => {
    subscriber.disconnect()
    subscriber.stream.destroy()
  })
  subscriber.disconnect(true)
  await waitFor(() => subscriber.status === 'end')
  await nextTick()
  t.strictSame(unhandled, [])
})
