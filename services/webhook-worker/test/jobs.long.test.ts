// A delivery in one cycle of tries is one job, as operators see it, and the row decides what the job may do.
// In one process with others: what tests load.
import { openBoardQueue } from '@payment-tracking/queue/board'
import { updateWebhook } from '@payment-tracking/store/admin'
import { redeliverOne } from '@payment-tracking/store/deliveries'
import { openReceiver, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

/** A worker, and the jobs of the queue of what just happened. */
async function openJobs(t: TestContext, env: Record<string, string> = {}) {
  const rig = await openRig(t)
  await rig.startWorker(env)
  const board = openBoardQueue({ REDIS_URL: rig.redis.url, ENVIRONMENT: 'test' })
  t.teardown(() => board.close())
  const [first, bulk] = board.queues
  /** The one job that failed. */
  const failed = (queue = first) =>
    waitFor(async () => (await queue.getFailed())[0], { what: 'the failed job' })
  return { rig, first, bulk, failed }
}

t.test('a delivery that fails is a job that fails, after four attempts and for a reason', async t => {
  const { rig, failed } = await openJobs(t)
  const receiver = await openReceiver(t)
  receiver.answer({ status: 500, body: 'no' })
  const webhook = await rig.addWebhook(`${receiver.url}hooks/capability?key=capability`)
  const [ref] = await rig.pay(webhook.gateway)
  const job = await failed()
  t.match(job, {
    name: `payment.executed → ${new URL(receiver.url).host}`,
    data: {
      deliveryId: String(ref!.id),
      webhookId: String(webhook.id),
      gateway: webhook.gateway,
      trackingId: 'order-1',
      cycle: ref!.openedAt.toISOString(),
    },
    attemptsMade: 4,
    failedReason: 'status 500',
    stacktrace: Array(4).fill('status 500'),
  })
  const held = JSON.stringify(job.asJSON())
  t.notMatch(held, 'capability', 'no path of the endpoint')
  t.notMatch(held, webhook.secret, 'no secret')
  t.equal(receiver.requests.length, 4)

  receiver.answer({ status: 410 })
  await rig.queue.enqueueDeliveries(await redeliverOne(rig.store, webhook.id, ref!.id))
  await rig.waitForStates({ failed: 1 })
  const jobs = () => rig.redis.client.zcard('{payment-tracking:test}:deliveries:failed')
  await waitFor(async () => (await jobs()) === 2, { what: 'the job of the next cycle' })
  t.equal(receiver.requests.length, 5, 'what cannot help is not tried again')
})

t.test('a job made anew has the tries that are left, and the fourth request is the last', async t => {
  const { rig, bulk, failed } = await openJobs(t, { WEBHOOK_BACKOFF_MS: '1500' })
  const receiver = await openReceiver(t)
  receiver.answer({ status: 500 })
  const webhook = await rig.addWebhook(receiver.url)
  await rig.pay(webhook.gateway)
  await receiver.waitForRequests(2)
  const isWritten = async () => (await rig.attempts(webhook.gateway))[1]?.outcome === 'refused'
  await waitFor(isWritten, { what: 'the second result' })
  await rig.redis.client.flushdb()
  await rig.waitForStates({ failed: 1 }, webhook)
  t.match(await failed(bulk), { opts: { attempts: 2 }, attemptsMade: 2, failedReason: 'status 500' })
  t.equal(receiver.requests.length, 4, 'Redis had counted nothing')
})

t.test('a job that has ended does not keep an open row from being sent', async t => {
  const { rig, first } = await openJobs(t)
  const receiver = await openReceiver(t)
  const webhook = await rig.addWebhook(receiver.url)
  await rig.pay(webhook.gateway)
  await waitFor(async () => (await first.getCompletedCount()) === 1, { what: 'the job' })
  // A standby without the result takes its primary's place.
  await rig.database.pool.query(
    `update deliveries set state = 'pending', finished_at = null, attempts_made = 0, due_at = now()`,
  )
  await receiver.waitForRequests(2)
  await rig.waitForStates({ delivered: 1 }, webhook)
})

t.test('of two that are in order, the second is sent as soon as the first has ended', async t => {
  const { rig, first } = await openJobs(t, { 'webhook-worker.overdueMs': '600000' })
  const receiver = await openReceiver(t)
  const webhook = await rig.addWebhook(receiver.url)
  await updateWebhook(rig.store, webhook.gateway, webhook.id, { ordered: true })
  receiver.answer((_, number) => ({ status: 200, delayMs: number === 1 ? 400 : 0 }))
  await rig.pay(webhook.gateway, 2)
  await waitFor(async () => (await first.getDelayedCount()) === 1, { what: 'the wait of the second' })
  await rig.waitForStates({ delivered: 2 }, webhook)
  t.equal(receiver.requests.length, 2)
})
