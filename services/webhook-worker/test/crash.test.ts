// What dies, dies in the middle of work. Every delivery must still end, and a receiver may see one twice, with
// the same id and body.
import { openBoardQueue } from '@payment-tracking/queue'
import { openPrivateServers, openReceiver, waitFor, type Receiver } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { openRig } from './support/start-worker.js'

/** Tells how many requests were repeats, and that each repeat had the id and body of the first. */
function countRepeats(t: Test, receiver: Receiver, deliveries: number): void {
  const bodies = new Map<string, string>()
  for (const { headers, body } of receiver.requests) {
    const id = String(headers['webhook-id'])
    if (bodies.has(id)) t.equal(bodies.get(id), body, 'a repeat is the same bytes')
    bodies.set(id, body)
  }
  t.equal(bodies.size, deliveries, 'none was lost')
  t.comment(`${receiver.requests.length - bodies.size} repeats of ${deliveries} deliveries`)
}

t.test('a worker killed in mid-request loses nothing: another one sends again', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  let slow = true
  receiver.answer(() => ({ status: 200, delayMs: slow ? 400 : 0 }))
  const { gateway } = await rig.addWebhook(receiver.url)
  const worker = await rig.startWorker()
  await rig.pay(gateway, 40)
  await receiver.waitForRequests(2)
  await worker.stop('SIGKILL')
  slow = false
  const { rows } = await rig.database.pool.query(
    'select count(*)::int as open from delivery_attempts where finished_at is null',
  )
  t.ok(rows[0].open > 0, 'the attempts were on record before the requests left')
  await rig.startWorker()
  await rig.waitForStates({ delivered: 40 })
  countRepeats(t, receiver, 40)
  const attempts = await rig.database.pool.query(
    `select outcome, count(*)::int as n from delivery_attempts group by outcome order by outcome`,
  )
  t.strictSame(
    attempts.rows.map(row => row.outcome),
    ['accepted', 'interrupted'],
  )
})

t.test('a worker killed at the last try ends the delivery as failed', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer('hang')
  const { gateway } = await rig.addWebhook(receiver.url)
  const worker = await rig.startWorker({ WEBHOOK_TIMEOUT_MS: '2000' })
  const [ref] = await rig.pay(gateway, 1, { enqueue: false })
  await rig.database.pool.query('update deliveries set attempts_made = 3, tries_allowed = 4 where id = $1', [
    ref!.id,
  ])
  await receiver.waitForRequests(1)
  await worker.stop('SIGKILL')
  await rig.startWorker({ WEBHOOK_TIMEOUT_MS: '2000' })
  await rig.waitForStates({ failed: 1 })
  t.equal(receiver.requests.length, 1, 'no fifth request')
  t.equal((await rig.deliveries())[0]!.last_error, 'interrupted')
})

t.test('what was never enqueued, or was flushed with Redis, is found by the sweeper', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  // Ingest died between its commit and the queue.
  await rig.pay(gateway, 20, { enqueue: false })
  const [one, two] = await Promise.all([rig.startWorker(), rig.startWorker()])
  await rig.waitForStates({ delivered: 20 })
  // Redis is flushed while retries wait in it.
  // Too few failures for the breaker.
  receiver.answer((_, number) => ({ status: number <= 28 ? 500 : 200 }))
  await rig.pay(gateway, 30)
  await receiver.waitForRequests(30)
  await rig.redis.client.flushdb()
  await rig.waitForStates({ delivered: 50 })
  countRepeats(t, receiver, 50)
  t.strictSame(await Promise.all([one.stop(), two.stop()]), [0, 0])
})

t.test('Redis and Postgres are killed and restarted under load: everything ends', async t => {
  const servers = await openPrivateServers(t)
  const rig = await openRig(t, servers)
  const receiver = await openReceiver(t)
  receiver.answer(() => ({ status: 200, delayMs: 20 }))
  const { gateway } = await rig.addWebhook(receiver.url)
  const worker = await rig.startWorker({ WEBHOOK_WATCHDOG_MS: '60000' })
  const { postgres, redis } = servers.private

  await rig.pay(gateway, 60)
  await receiver.waitForRequests(10)
  await redis!.kill()
  await rig.pay(gateway, 20, { enqueue: false })
  t.rejects(rig.queue.enqueueDeliveries([{ id: 1n, webhookId: 1n }]), { code: 'QUEUE_UNAVAILABLE' })
  await redis!.restart()
  await rig.waitForStates({ delivered: 80 }, { timeoutMs: 60_000 })

  await rig.pay(gateway, 60)
  await receiver.waitForRequests(100)
  await postgres!.kill()
  await postgres!.restart()
  await rig.waitForStates({ delivered: 140 }, { timeoutMs: 60_000 })
  countRepeats(t, receiver, 140)
  t.equal(await worker.stop(), 0)
})

t.test('a worker that is connected and gets no job ends itself, to be restarted', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const stuck = await rig.startWorker({ WEBHOOK_WATCHDOG_MS: '1000', WEBHOOK_OVERDUE_MS: '600000' })
  const key = (name: string) => `{payment-tracking:test}:deliveries:${name}`
  // Redis says that the one job that may run is running, and it never ends.
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

t.test('a queue that people paused is no stuck worker', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const worker = await rig.startWorker({ WEBHOOK_WATCHDOG_MS: '500', WEBHOOK_OVERDUE_MS: '600000' })
  const board = openBoardQueue({ REDIS_URL: rig.redis.url, ENVIRONMENT: 'test' })
  t.teardown(() => board.close())
  await board.queue.pause()
  await rig.pay(gateway, 3)
  const figure = async () => {
    const metrics = await (await fetch(`${worker.managementUrl}/metrics`)).text()
    return Number(/^payment_tracking_delivery_oldest_undelivered_seconds (\S+)/m.exec(metrics)?.[1])
  }
  // Long after the watchdog's time; the age tells of it all the same.
  await waitFor(async () => (await figure()) > 2, { what: 'the age' })
  t.equal(receiver.requests.length, 0)
  await board.queue.resume()
  await rig.waitForStates({ delivered: 3 })
})
