// Strangers pay dust with memos that the shop does not know, and its endpoint refuses each.
import { notifyFailures } from '@payment-tracking/store/messages'
import { noteWebhookHealth } from '@payment-tracking/store/deliveries'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openDustyShop, indexOf } from './support/pay-dust.js'

for (const status of [404, 500])
  t.test(`400 payments of dust that are answered ${status} hold no payment of the shop back`, async t => {
    const { rig, receiver, webhook, pay } = await openDustyShop(t, { status })
    await pay('dust', 400)
    // Twice what a breaker would open at, at each of three workers.
    await receiver.waitForRequests(60, { timeoutMs: 60_000 })
    const own = await pay('own', 5)
    await waitFor(() => own.every(order => indexOf(receiver.requests, order) >= 0), {
      what: 'the orders',
      timeoutMs: 180_000,
    })
    const last = Math.max(...own.map(order => indexOf(receiver.requests, order)))
    t.ok(last < 1_000, `the last order was request ${last} of 1,605: it waited for no last try of dust`)
    await waitFor(
      async () => {
        const rows = (await rig.deliveries(webhook.gateway)).filter(row => row.state === 'delivered')
        return rows.length === 5 && rows.every(row => row.attempts_made === 1)
      },
      { what: 'five orders delivered at the first try', timeoutMs: 60_000 },
    )
    const { rows } = await rig.database.pool.query('select * from webhooks where id = $1', [webhook.id])
    t.match(rows, [{ active: true, lost_at: null, failure_notified_at: null }])
    // A 500 counts against the endpoint until its next success.
    if (status === 404) t.equal(rows[0].failing_since, null)
    t.ok(
      (await rig.deliveries(webhook.gateway)).every(({ defer_reason }) => defer_reason !== 'breaker open'),
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
