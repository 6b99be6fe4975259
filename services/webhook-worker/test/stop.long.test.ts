// In one process with others: what tests load.
import { countRows, openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('a stopping worker takes no more work and finishes its current work', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer(() => ({ status: 200, delayMs: 500 }))
  const { gateway } = await rig.addWebhook(receiver.url)
  // A request that is not answered in time is rightly sent again, and a slow machine is not what this is about.
  const settings = { WEBHOOK_TIMEOUT_MS: '20000' }
  const worker = await rig.startWorker({ ...settings, WEBHOOK_MAX_IN_FLIGHT: '2' })
  await rig.pay(gateway, 12)
  await receiver.waitForRequests(2)
  t.equal(await worker.stop(), 0)
  const { rows } = await rig.database.pool.query(
    'select count(*) filter (where finished_at is null)::int as open, count(*)::int as made from delivery_attempts',
  )
  t.equal(rows[0].open, 0, 'every request that left has its result')
  t.ok(rows[0].made < 12)
  await rig.startWorker(settings)
  await rig.waitForStates({ delivered: 12 })
  const ends = await rig.attempts(gateway)
  t.strictSame([...new Set(ends.map(({ outcome }) => outcome))], ['accepted'], 'no request failed')
  t.equal(receiver.requests.length, 12, 'and nothing was sent twice')
})

t.test('a stopping worker gives back unfinished deliveries, and another worker sends them', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer((_, number) => (number === 1 ? 'hang' : { status: 200 }))
  const { gateway } = await rig.addWebhook(receiver.url)
  const settings = { WEBHOOK_TIMEOUT_MS: '30000', STOP_DEADLINE_MS: '4000' }
  const worker = await rig.startWorker(settings)
  await rig.pay(gateway)
  await receiver.waitForRequests(1)
  t.equal(await worker.stop(), 0)
  const { rows } = await rig.database.pool.query('select outcome, error from delivery_attempts')
  t.strictSame(rows, [{ outcome: 'interrupted', error: 'stopped' }])
  const [row] = await rig.deliveries()
  t.equal(row!.state, 'pending')
  await rig.startWorker(settings)
  await rig.waitForStates({ delivered: 1 })
})

t.test('connections return to the baseline, and nothing private is logged', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const webhook = await rig.addWebhook(receiver.url)
  const CONNECTIONS = `pg_stat_activity where application_name = 'webhook-worker' and datname = current_database()`
  const connections = () => countRows(rig.database.pool, CONNECTIONS)
  const worker = await rig.startWorker()
  await rig.pay(webhook.gateway, 3)
  await rig.waitForStates({ delivered: 3 })
  t.ok((await connections()) > 0)
  const metrics = await worker.metrics()
  t.match(metrics, /payment_tracking_delivery_attempts_total\{outcome="accepted"\} 3/)
  t.match(metrics, /payment_tracking_delivery_first_attempt_seconds_count 3/)
  t.equal(await worker.stop(), 0)
  await waitFor(async () => (await connections()) === 0, { what: 'no connection of the worker' })
  t.notOk(worker.logs.some(line => JSON.stringify(line).includes(webhook.secret)))
})
