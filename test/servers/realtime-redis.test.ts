// The real-time channel on a Redis of its own: payments reach sockets through it, and nothing of the sockets lies in the
// other one.
import { SOCKET_PATH } from '@payment-tracking/contracts'
import { buildChain, openPublisher, startService, useEnvironment, waitFor } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { io } from 'socket.io-client'
import t from 'tap'
import { startRedis } from './start-redis.js'

t.test('a payment reaches a socket through the Redis of the real-time channel alone', async t => {
  const { redis, settings } = await useEnvironment(t)
  const own = await startRedis(t)
  const inside = new Redis(own.url)
  t.teardown(() => inside.disconnect())
  const chain = buildChain({ seed: 'realtime-redis' })
  const gateway = await chain.openGateway()
  const userPayment = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'order' })
  const channel = { ...settings, REALTIME_REDIS_URL: own.url }
  const realtime = await startService(t, 'realtime', {
    ...channel,
    // Comparing rooms with the store would bring a payment that Redis did not.
    PORT: '0',
    'realtime.healEveryMs': '3600000',
  })
  const { port } = (await realtime.waitForLog('service.listening')) as unknown as { port: number }
  const client = io(`http://127.0.0.1:${port}`, { path: SOCKET_PATH, transports: ['websocket'] })
  t.teardown(() => client.disconnect())
  const received: unknown[] = []
  client.on('payment', message => received.push(message))
  await client.timeout(30_000).emitWithAck('subscribe', { trackingId: 'order' })
  t.not(await inside.dbsize(), 0, 'the seat lies in the Redis of the channel')
  t.equal(await redis.client.dbsize(), 0, 'nothing of it in the other one')

  const publisher = await openPublisher(settings)
  t.teardown(() => publisher.close())
  await startService(t, 'ingest', channel)
  for (const message of [gateway.created, userPayment.created, policy.created, chain.pay(policy)])
    await publisher.publish(JSON.stringify(message))
  await waitFor(() => received.length === 1, { what: 'the payment' })
  const heads = await redis.client.keys('*head*')
  t.not(heads.length, 0, 'how far the database was written stays with the queue')
})
