// Strangers pay dust with memos that the shop does not know, and its endpoint answers 404 to each.
import { createLogger, createMetrics } from '@payment-tracking/runtime'
import { insertDeliveries, notifyFailures } from '@payment-tracking/store/messages'
import { noteWebhookHealth } from '@payment-tracking/store/deliveries'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { buildDeliverer } from '../src/deliveries/deliver.js'
import { buildDeliveryMetrics } from '../src/deliveries/delivery-metrics.js'
import { buildDeliveryRows } from '../src/deliveries/delivery-rows.js'
import { buildEndpointLimiter } from '../src/endpoints/endpoint-limiter.js'
import { openDustyShop, indexOf } from './support/pay-dust.js'
import { openRig } from './support/start-worker.js'

t.test('a thousand payments of dust hold no payment of the shop back', async t => {
  const { rig, receiver, webhook, pay } = await openDustyShop(t)
  await pay('dust', 1_000)
  // Twice what a breaker would open at, at each of three workers.
  await receiver.waitForRequests(60, { timeoutMs: 60_000 })
  const own = await pay('own', 5)
  await waitFor(() => own.every(order => indexOf(receiver.requests, order) >= 0), {
    what: 'the orders',
    timeoutMs: 60_000,
  })
  const last = Math.max(...own.map(order => indexOf(receiver.requests, order)))
  t.ok(last < 2_500, `the last order was request ${last} of 4,005: it waited for no last try of dust`)
  await waitFor(
    async () => {
      const rows = (await rig.deliveries(webhook.gateway)).filter(row => row.state === 'delivered')
      return rows.length === 5 && rows.every(row => row.attempts_made === 1)
    },
    { what: 'five orders delivered at the first try' },
  )
  const { rows } = await rig.database.pool.query(
    'select active, failing_since, lost_at, failure_notified_at from webhooks where id = $1',
    [webhook.id],
  )
  t.strictSame(rows, [{ active: true, failing_since: null, lost_at: null, failure_notified_at: null }])
  t.ok(
    (await rig.deliveries(webhook.gateway)).every(({ held_reason }) => held_reason !== 'breaker open'),
    'no breaker opened',
  )
})

t.test('a refused message is no reason to say that a webhook is failing, nor to deactivate it', async t => {
  const { rig, receiver, webhook, pay } = await openDustyShop(t, { workers: 1, backoffMs: 50 })
  const { pool } = rig.database
  await pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, event_types) values ($1, $2, 'whsec_AAAA', $3)`,
    [webhook.gateway, `${receiver.url}notices`, ['webhook.failing', 'webhook.deactivated']],
  )
  // One time-out, six days ago, and no order of the shop's own since.
  await pool.query(`update webhooks set failing_since = now() - interval '6 d' where id = $1`, [webhook.id])
  await pay('dust', 3)
  await rig.waitForStates({ failed: 3 }, { ...webhook, timeoutMs: 60_000 })
  t.equal(receiver.requests.length, 12, 'a refusal is a failed try, retried like any other')
  t.strictSame(await notifyFailures(rig.store), [], 'nobody is notified')
  const read = async () =>
    (await pool.query('select active, lost_at from webhooks where id = $1', [webhook.id])).rows[0]
  t.strictSame(await read(), { active: true, lost_at: null })
  await noteWebhookHealth(rig.store, { failed: [webhook.id], lost: [webhook.id], succeeded: [] }, 1e12)
  await waitFor(() => receiver.requests.some(({ path }) => path === '/notices'), { what: 'the notice' })
  t.ok((await read()).active)
})

t.test('an endpoint that fails at dust alone', async t => {
  const rig = await openRig(t)
  const log = createLogger('webhook-worker', { LOG_LEVEL: 'error', ENVIRONMENT: 'test' }, { write: () => {} })
  const metrics = buildDeliveryMetrics(createMetrics())
  const { id: webhookId, gateway } = await rig.addWebhook('http://127.0.0.1:1/')
  let now = 1_000_000
  const sent: string[] = []
  const enqueued: bigint[] = []
  const deliver = buildDeliverer({
    rows: buildDeliveryRows({
      store: rig.store,
      enqueue: async deliveries => void enqueued.push(...deliveries.map(({ id }) => id)),
      leaseMs: 60_000,
      metrics,
      log,
    }),
    limiter: buildEndpointLimiter(
      { maxInFlight: 8, maxPerSecond: 1_000, maxQueued: 8, beginWithinMs: 1e9 },
      { now: () => now, chance: () => 0 },
      {
        take: () => Promise.reject(new Error('no rate was chosen')),
        pause: () => Promise.reject(new Error('no rate was chosen')),
      },
    ),
    send: async ({ id, body }) => {
      sent.push(String(id))
      const nothing = { final: false, retryAfterMs: null, headers: null, body: null }
      return body.includes('"own"')
        ? { ...nothing, outcome: 'accepted', error: null, statusCode: 200 }
        : { ...nothing, outcome: 'refused', error: 'status', statusCode: 500 }
    },
    backoffMs: 1,
    backoffFactor: 1,
    metrics,
    log,
    chance: () => 0,
  })
  const pay = async (trackingId: string, count: number) => {
    const payments = Array.from({ length: count }, () => makeCommittedPayment(gateway, { trackingId }))
    return (await insertDeliveries(rig.store, payments)).map(({ id }) => String(id))
  }
  const turn = (deliveryId: string) => deliver({ deliveryId, webhookId: String(webhookId) })
  const coolDown = async () => {
    now += 60_000
    await rig.database.pool.query(
      `update deliveries set due_at = now() where state in ('pending', 'waiting')`,
    )
  }

  const dust = await pay('dust', 12)
  for (const id of dust.slice(0, 10)) t.match(await turn(id), { kind: 'again', lane: 'first' })
  for (const id of dust) t.match(await turn(id), { kind: 'again', lane: 'bulk' }, 'the breaker is open')
  const [own] = await pay('own', 1)
  t.match(await turn(own!), { kind: 'again', lane: 'bulk' })

  // Whichever job comes first, the probe is the oldest delivery that was never tried.
  sent.length = 0
  for (const wanted of [dust[10], dust[11]]) {
    await coolDown()
    t.match(await turn(dust[0]!), { kind: 'again', lane: 'bulk' }, 'the delivery of the job waits on')
    t.strictSame(sent.splice(0), [wanted])
    t.equal(String(enqueued.pop()), wanted, 'the probe comes again for its retry')
  }
  await coolDown()
  t.match(await turn(dust[0]!), { kind: 'again', lane: 'first' }, 'and the breaker is closed')
  t.strictSame(sent.splice(0), [own, dust[0]])

  t.test('the others follow in turn when all were tried', async t => {
    for (const id of dust) await turn(id)
    const tries = async () =>
      Object.fromEntries((await rig.deliveries(gateway)).map(row => [row.id, row.attempts_made]))
    await coolDown()
    for (const id of dust.slice(1)) await turn(id)
    const before = await tries()
    const least = Math.min(...dust.map(id => before[id]!))
    const next = dust.find(id => before[id] === least)!
    sent.length = 0
    await coolDown()
    await turn(dust.at(-1)!)
    t.equal(sent[0], next, 'the oldest of those that were tried least')
  })
})
