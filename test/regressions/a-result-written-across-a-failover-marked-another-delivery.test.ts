// A database that lost commits gives ids again. The result of a request that was under way meanwhile was written by ids
// alone: another payment was taken for delivered, and its endpoint never heard of it.
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/webhook-worker/test/support/start-worker.js'

t.test('a result is not written to a delivery that was given the same id later', async t => {
  const rig = await openRig(t)
  const { pool } = rig.database
  const receiver = await openReceiver(t)
  receiver.answer({ status: 200, delayMs: 1_500 })
  const webhook = await rig.addWebhook(receiver.url)
  // The sweeper would send the other delivery while the test looks at it.
  const worker = await rig.startWorker({ WEBHOOK_TIMEOUT_MS: '5000', 'webhook-worker.overdueMs': '60000' })
  const [lost] = await rig.pay(webhook.gateway)
  await receiver.waitForRequests(1)

  // What the promoted standby holds: the ids of the lost rows name another payment's delivery and attempt.
  const other = await rig.pay(webhook.gateway, 1, { enqueue: false })
  const { rows } = await pool.query<{ started_at: Date }>(
    'delete from delivery_attempts where delivery_id = $1 returning started_at',
    [lost!.id],
  )
  await pool.query('delete from deliveries where id = $1', [lost!.id])
  await pool.query(
    `update deliveries set id = $1, attempts_made = 1, claimed_until = clock_timestamp() + interval '1 min'
      where id = $2`,
    [lost!.id, other[0]!.id],
  )
  await pool.query('insert into delivery_attempts (delivery_id, number, started_at) values ($1, 1, $2)', [
    lost!.id,
    rows[0]!.started_at,
  ])

  await waitFor(() => worker.logs.some(line => line.msg === 'delivery.attempted'), { what: 'the result' })
  t.match(await rig.deliveries(webhook.gateway), [{ state: 'pending', attempts_made: 1, last_error: null }])
  t.match(await rig.attempts(webhook.gateway), [{ number: 1, outcome: null, finished_at: null }])
  const lostLine = worker.logs.find(line => line.msg === 'delivery.attempted')
  t.match(lostLine, { state: 'unknown' }, 'the worker says that the row is gone')
})
