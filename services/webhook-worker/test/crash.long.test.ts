// Processes die in the middle of work. Every delivery must still end, and a receiver may see a delivery twice, with the
// same id and body.
import { openReceiver } from '@payment-tracking/testkit'
import t from 'tap'
import { countRepeats } from './support/count-repeats.js'
import { openRig } from './support/start-worker.js'

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
  // Ingest died after its commit, before it enqueued.
  await rig.pay(gateway, 20, { enqueue: false })
  const [one, two] = await Promise.all([rig.startWorker(), rig.startWorker()])
  await rig.waitForStates({ delivered: 20 })
  // The test flushes Redis while retries wait in Redis. Six failures are too few for the breaker of a worker that has all of
  // them: it opens at seven of ten.
  receiver.answer((_, number) => ({ status: number <= 26 ? 500 : 200 }))
  await rig.pay(gateway, 30)
  await receiver.waitForRequests(30)
  await rig.redis.client.flushdb()
  await rig.waitForStates({ delivered: 50 })
  countRepeats(t, receiver, 50)
  t.strictSame(await Promise.all([one.stop(), two.stop()]), [0, 0])
})
