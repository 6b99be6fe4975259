// A bad endpoint does not slow another endpoint, and a deferred delivery uses up no try.
// In one process with others: what tests load.
import { openRedis } from '@payment-tracking/redis'
import { countRows, openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('with hanging and refusing endpoints beside them, healthy ones get theirs at once', async t => {
  const rig = await openRig(t)
  const [healthy, hung, refusing] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)]
  hung.answer('hang')
  refusing.answer('close')
  const good = await Promise.all(Array.from({ length: 8 }, () => rig.addWebhook(healthy.url)))
  const bad = [await rig.addWebhook(hung.url), await rig.addWebhook(refusing.url)]
  // Few slots, so that one endpoint could occupy all of them.
  await rig.startWorker({
    WEBHOOK_CONCURRENCY: '24',
    // Longer than this test waits: what waited for a hanging endpoint would not come.
    WEBHOOK_TIMEOUT_MS: '60000',
    WEBHOOK_BACKOFF_MS: '60000',
    STOP_DEADLINE_MS: '3500',
  })
  for (const { gateway } of bad) await rig.pay(gateway, 40)
  await waitFor(() => hung.requests.length >= 4 && refusing.requests.length >= 10, { what: 'bad endpoints' })
  for (const { gateway } of good) await rig.pay(gateway, 10)
  await healthy.waitForRequests(80)
  t.ok(hung.requests.length <= 8, `${hung.requests.length} requests hang: the cap of probation`)
  await waitFor(async () => (await rig.deliveries()).some(row => row.defer_reason === 'in-flight cap'))
  const states = await rig.deliveries()
  t.ok(states.some(row => row.defer_reason === 'breaker open' && row.state === 'waiting'))
  for (const row of states.filter(row => row.state === 'waiting')) t.ok(row.attempts_made <= 1)
  const untouched = states.filter(row => row.webhook_id === String(bad[1]!.id) && row.attempts_made === 0)
  t.ok(untouched.length > 0, 'behind an open breaker no try was spent')
})

t.test('a deferred delivery is tried when its time comes, and within 24 h in any case', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer('close')
  const { gateway } = await rig.addWebhook(receiver.url)
  await rig.startWorker({ WEBHOOK_BACKOFF_MS: '3600000' })
  await rig.pay(gateway, 10)
  await receiver.waitForRequests(10)
  const [deferred] = await rig.pay(gateway)
  const state = async () => (await rig.deliveries()).find(row => row.id === String(deferred!.id))!
  await waitFor(async () => (await state()).defer_reason === 'breaker open', { what: 'the deferral' })
  t.match(await state(), { state: 'waiting', attempts_made: 0 })
  const job = `${deferred!.id}-${deferred!.openedAt.getTime()}`
  const logs = () => rig.redis.client.lrange(`{payment-tracking:test}:deliveries:${job}:logs`, 0, -1)
  await waitFor(async () => /breaker open: waits until/.test((await logs())[0] ?? ''), { what: 'the reason' })
  receiver.answer({ status: 200 })
  await rig.database.pool.query(
    `update deliveries set deferred_since = now() - interval '23 h 1 min', due_at = now() where id = $1`,
    [deferred!.id],
  )
  await waitFor(async () => (await state()).state === 'delivered', { what: 'the delivery' })
  t.equal(receiver.requests.length, 11)
})

t.test('an endpoint that was moved is asked at once, whatever the old one left unanswered', async t => {
  const rig = await openRig(t)
  const [old, moved] = [await openReceiver(t), await openReceiver(t)]
  old.answer('close')
  const { id, gateway } = await rig.addWebhook(old.url)
  await rig.startWorker()
  await rig.pay(gateway, 12)
  const isOpen = async () => (await rig.deliveries()).some(row => row.defer_reason === 'breaker open')
  await waitFor(isOpen, { what: 'an open breaker', timeoutMs: 30_000 })
  await rig.database.pool.query('update webhooks set endpoint_url = $1 where id = $2', [moved.url, id])
  const redis = openRedis({ ...rig.env, REDIS_URL: rig.redis.url })
  t.teardown(() => redis.close())
  // As the API does after the commit; a subscription of the worker may take a moment.
  await waitFor(async () => (await redis.signalEndpoints([String(id)])) === 1, {
    what: 'a worker that listens',
  })
  await rig.pay(gateway)
  await moved.waitForRequests(1, { timeoutMs: 20_000 })
  t.pass('its first request did not wait for the 60 s of the breaker')
})

t.test('a backlog of an endpoint that stalled for a moment does not come drop by drop', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer((_, number) => ({ status: 200, ...(number <= 8 && { delayMs: 3_000 }) }))
  const { gateway } = await rig.addWebhook(receiver.url)
  await rig.startWorker({ WEBHOOK_MAX_PER_SECOND: '10000' })
  await rig.pay(gateway, 3_000)
  const { pool } = rig.database
  const countDeferred = () => countRows(pool, `deliveries where defer_reason = 'in-flight cap'`)
  await waitFor(async () => (await countDeferred()) > 1_500, { what: 'most to be deferred' })
  await pool.query('create table planned as select id, due_at from deliveries')
  await receiver.waitForRequests(3_000, { timeoutMs: 180_000 })
  await rig.waitForStates({ delivered: 3_000 }, { gateway })
  // By themselves they come at 100 a second, none before its time.
  const { rows } = await pool.query<{ recalled: number }>(
    'select count(*)::int as recalled from planned p join deliveries d using (id) where d.due_at < p.due_at',
  )
  t.ok(rows[0]!.recalled > 0, `${rows[0]!.recalled} were recalled`)
})
