// Redis and Postgres go away and come back, and a worker that gets no more jobs restarts.
import { openBoardQueue } from '@payment-tracking/queue/board'
import { openReceiver, openLink, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('a worker that is connected and gets no job ends itself, to be restarted', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const stuck = await rig.startWorker({
    'webhook-worker.watchdogMs': '1000',
    'webhook-worker.overdueMs': '600000',
  })
  const key = (name: string) => `{payment-tracking:test}:deliveries:${name}`
  // Redis reports the single allowed job as running, and that job never ends.
  await rig.redis.client.hset(key('meta'), 'concurrency', 1)
  await rig.redis.client.rpush(key('active'), 'ghost')
  await rig.pay(gateway, 5)
  t.equal(await stuck.exited, 1)
  t.ok(stuck.logs.some(line => line.msg === 'service.failed'))
  t.equal(receiver.requests.length, 0)
  await rig.redis.client.hdel(key('meta'), 'concurrency')
  await rig.startWorker()
  await rig.waitForStates({ delivered: 5 })
})

t.test('a worker of a queue that an operator paused is not stuck', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const worker = await rig.startWorker({
    'webhook-worker.watchdogMs': '500',
    'webhook-worker.overdueMs': '600000',
  })
  const board = openBoardQueue({ REDIS_URL: rig.redis.url, ENVIRONMENT: 'test' })
  t.teardown(() => board.close())
  await board.queues[0].pause()
  await rig.pay(gateway, 3)
  const figure = () => worker.figure('payment_tracking_delivery_oldest_undelivered_seconds')
  // Long after the watchdog's limit; the age metric still shows the waiting deliveries.
  await waitFor(async () => (await figure()) > 2, { what: 'the age' })
  t.equal(receiver.requests.length, 0)
  await board.queues[0].resume()
  await rig.waitForStates({ delivered: 3 })
})

t.test('a worker outlives a Postgres that vanished, and goes on with its replacement', async t => {
  const rig = await openRig(t)
  const link = await openLink(t, rig.database.url)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const worker = await rig.startWorker({
    DATABASE_URL: link.url,
    'webhook-worker.watchdogMs': '500',
    'webhook-worker.statementTimeoutMs': '100',
    WEBHOOK_CONCURRENCY: '4',
  })
  await rig.pay(gateway)
  await rig.waitForStates({ delivered: 1 })
  link.silence('present')
  await rig.pay(gateway, 100)
  await rig.waitForStates({ delivered: 101 })
  t.equal(await worker.stop(), 0, 'the worker did not end itself')
})
