// Deliveries that were due together shared a job, and their retries were enqueued when the whole job had ended: beside
// an endpoint that hung, the first retry of another gateway came after 10.9 s instead of 5 s.
import { openReceiver } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/webhook-worker/test/support/start-worker.js'

t.test('a retry keeps its time beside an endpoint that hangs', async t => {
  const rig = await openRig(t)
  const [hung, refusing] = [await openReceiver(t), await openReceiver(t)]
  hung.answer('hang')
  refusing.answer({ status: 500 })
  const hanging = await rig.addWebhook(hung.url)
  const other = await rig.addWebhook(refusing.url)
  await rig.startWorker({
    WEBHOOK_BACKOFF_MS: '500',
    // Longer than this test waits: a retry that waited for the others would not come.
    WEBHOOK_TIMEOUT_MS: '60000',
    STOP_DEADLINE_MS: '3500',
    // The sweeper would bring the retry back before the others have ended.
    'webhook-worker.overdueMs': '60000',
  })
  const refs = [
    ...(await rig.pay(hanging.gateway, 3, { enqueue: false })),
    ...(await rig.pay(other.gateway, 1, { enqueue: false })),
  ]
  await rig.queue.enqueueDeliveries(refs)
  await refusing.waitForRequests(2)
  t.equal(hung.requests.length, 3, 'the other deliveries were on their way')
})
