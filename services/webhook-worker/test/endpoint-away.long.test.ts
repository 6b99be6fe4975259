// An endpoint that was away has everything afterwards without a hand, also where nothing new comes. How long it was away is said by
// ageing rows.
import { openReceiver, SENT, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

const UNIT_MS = 50

// Each length, with and without an order: packages/store/test/deliveries/endpoint-away.test.ts.
t.test('away for 60 hours, ordered', async t => {
  const rig = await openRig(t)
  const { pool } = rig.database
  const receiver = await openReceiver(t)
  receiver.answer('close')
  const { id, gateway } = await rig.addWebhook(receiver.url)
  // It recovers only when the test says so, or a cycle could begin before the rows are aged.
  await pool.query('update webhooks set ordered = true')
  await rig.startWorker({ WEBHOOK_BACKOFF_MS: String(UNIT_MS) })
  // Ten failures would open the breaker for a minute.
  await rig.pay(gateway, 2)
  await rig.waitForStates({ failed: 2 }, { timeoutMs: 60_000 })
  t.equal(receiver.requests.length, 8, 'a try and three retries of each')
  receiver.answer({ status: 200 })
  // It was tried as often as its backoffs allow in that time.
  const cycles = 16
  await pool.query(
    `update deliveries set attempts_made = $1, tries_allowed = $1, finished_at = finished_at - interval '7 h' where webhook_id = $2`,
    [4 * cycles, id],
  )
  await pool.query(`update webhooks set failing_since = failing_since - interval '60 h', recover = true`)
  await waitFor(async () => (await rig.deliveries()).every(({ state }) => state === 'delivered'), {
    what: 'everything',
    timeoutMs: 60_000,
  })
  const tried = (await rig.deliveries()).map(row => row.attempts_made)
  t.same(tried, [4 * cycles + 1, 4 * cycles + 1], 'cycles stay countable: the first try of the next one')
  const ids = receiver.requests.slice(8).map(({ headers }) => String(headers['webhook-id']))
  const { rows } = await pool.query(`select message_id from ${SENT} d order by id`)
  const wanted = rows.map(row => row.message_id)
  t.same(ids, wanted)
})
