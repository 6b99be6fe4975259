// In one process with others: what tests load.
import { Webhook } from 'standardwebhooks'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { redeliverOne, removeOldDeliveries } from '@payment-tracking/store/deliveries'
import { rotateWebhookSecret } from '@payment-tracking/store/admin'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('a worker maintains webhooks', async t => {
  const rig = await openRig(t)
  const { pool } = rig.database
  const receiver = await openReceiver(t)
  const worker = await rig.startWorker()
  const webhookRow = async (id: bigint) =>
    (await pool.query('select * from webhooks where id = $1', [id])).rows[0]
  const statesOf = async (id: bigint) =>
    (await rig.deliveries()).filter(row => row.webhook_id === String(id)).map(row => row.state)

  t.test('five days of nothing but failures deactivate it, and cancel what is open', async t => {
    receiver.answer({ status: 500 })
    const webhook = await rig.addWebhook(receiver.url)
    const [first] = await rig.pay(webhook.gateway)
    // The worker writes the delivery's row, and then judges the webhook. If `failing_since` changed between the two, this
    // first failure would deactivate the webhook.
    await waitFor(async () => (await webhookRow(webhook.id)).lost_at !== null, { what: 'the failure' })
    t.strictSame(await statesOf(webhook.id), ['failed'])
    t.ok((await webhookRow(webhook.id)).active, 'a first failure is no reason')
    await pool.query(`update webhooks set failing_since = now() - interval '5 d 1 min' where id = $1`, [
      webhook.id,
    ])
    const [later] = await rig.pay(webhook.gateway, 1, { enqueue: false })
    await pool.query(`update deliveries set due_at = now() + interval '1 h' where id = $1`, [later!.id])
    await rig.queue.enqueueDeliveries(await redeliverOne(rig.store, webhook.id, first!.id))
    await waitFor(async () => !(await webhookRow(webhook.id)).active, { what: 'the deactivation' })
    t.match(await webhookRow(webhook.id), { deactivated_reason: 'failing' })
    t.ok((await webhookRow(webhook.id)).deactivated_at)
    await waitFor(async () => (await statesOf(webhook.id)).includes('cancelled'), { what: 'a cancellation' })
    t.strictSame(await statesOf(webhook.id), ['failed', 'cancelled'], 'the judged one had its tries')
  })

  t.test('one success clears the failure count', async t => {
    receiver.answer({ status: 200 })
    const webhook = await rig.addWebhook(receiver.url)
    await pool.query(`update webhooks set failing_since = now() - interval '6 d' where id = $1`, [webhook.id])
    await rig.pay(webhook.gateway)
    await waitFor(async () => (await webhookRow(webhook.id)).failing_since === null, {
      what: 'clean records',
    })
    t.ok((await webhookRow(webhook.id)).active)
  })

  t.test('the webhooks of a deleted gateway are deactivated', async t => {
    const webhook = await rig.addWebhook(receiver.url)
    const living = await rig.addWebhook(receiver.url)
    await pool.query(
      `insert into gateways (address, authority, incarnation_start, deleted_order) values ($1, 'a', '1', '2'), ($2, 'a', '3', '2')`,
      [webhook.gateway, living.gateway],
    )
    await waitFor(async () => !(await webhookRow(webhook.id)).active, { what: 'the deactivation' })
    t.match(await webhookRow(webhook.id), { deactivated_reason: 'gateway-deleted' })
    t.ok((await webhookRow(living.id)).active, 'an address that lives again keeps its webhooks')
  })

  t.test('after rotations every secret signs until its own time', async t => {
    const webhook = await rig.addWebhook(receiver.url)
    const rotate = async (graceSeconds: number) =>
      (await rotateWebhookSecret(rig.store, webhook.gateway, webhook.id, graceSeconds))!.secret
    const secrets = [webhook.secret, await rotate(60), await rotate(30)]
    const deliver = async () => {
      const before = receiver.requests.length
      await rig.pay(webhook.gateway)
      const request = (await receiver.waitForRequests(before + 1)).at(-1)!
      const verifies = (secret: string) => {
        try {
          return Boolean(new Webhook(secret).verify(request.body, request.headers as Record<string, string>))
        } catch {
          return false
        }
      }
      return secrets.map(verifies)
    }
    t.strictSame(await deliver(), [true, true, true])
    await pool.query(
      `update webhooks set earlier_secrets = jsonb_set(earlier_secrets, '{0,until}', to_jsonb(now())) where id = $1`,
      [webhook.id],
    )
    t.strictSame(await deliver(), [true, false, true])
    await rotate(0)
    t.strictSame(await deliver(), [false, false, false])
  })

  t.test('the age of the oldest undelivered delivery includes deferred and delayed deliveries', async () => {
    const webhook = await rig.addWebhook(receiver.url)
    const [ref] = await rig.pay(webhook.gateway, 1, { enqueue: false })
    await pool.query(
      `update deliveries set state = 'waiting', opened_at = now() - interval '1 h', due_at = now() + interval '1 h'
        where id = $1`,
      [ref!.id],
    )
    const readAge = () => worker.figure('payment_tracking_delivery_oldest_undelivered_seconds')
    await waitFor(async () => (await readAge()) >= 3_600, { what: 'the age' })
    await pool.query('update webhooks set active = false where id = $1', [webhook.id])
  })

  t.test('what waits for details is measured by its age, for active webhooks alone', async t => {
    const webhook = await rig.addWebhook(receiver.url)
    await pool.query(
      `insert into waiting_messages (webhook_id, message_id, event_id, policy, slot, type, waits_for, since)
       values ($1, 'waits', gen_random_uuid(), 'policy', 1, 'payment.executed', 'details', now() - interval '2 h')`,
      [webhook.id],
    )
    const readAge = () => worker.figure('payment_tracking_delivery_oldest_awaiting_details_seconds')
    await waitFor(async () => (await readAge()) >= 7_200, { what: 'the age' })
    await pool.query('update webhooks set active = false where id = $1', [webhook.id])
    await waitFor(async () => (await readAge()) === 0, { what: 'nothing that will be sent' })
    t.equal(await readAge(), 0)
  })

  t.test('retention removes only deliveries that ended long ago', async t => {
    const [kept, gone] = [await rig.addWebhook(receiver.url), await rig.addWebhook(receiver.url)]
    const [ref] = await rig.pay(kept.gateway, 1, { enqueue: false })
    await pool.query(
      `update deliveries set state = 'cancelled', finished_at = now() - interval '29 d' where id = $1`,
      [ref!.id],
    )
    await pool.query(
      `update webhooks set active = false, deleted_at = now() - interval '31 d' where id = any($1)`,
      [[kept.id, gone.id]],
    )
    const before = (await rig.deliveries()).length
    await pool.query(`update deliveries set finished_at = now() - interval '31 d' where state = 'delivered'`)
    const old = (await rig.deliveries()).filter(row => row.state === 'delivered').length
    const removed = await removeOldDeliveries(rig.store, { days: 30, limit: 1_000 })
    t.ok(removed <= old)
    await waitFor(async () => (await rig.deliveries()).length === before - old, { what: 'the removal' })
    t.notOk((await rig.deliveries()).some(row => row.state === 'delivered'))
    const orphans = await pool.query(
      'select from delivery_attempts a where not exists (select from deliveries d where d.id = a.delivery_id)',
    )
    t.equal(orphans.rowCount, 0)
    await waitFor(async () => (await webhookRow(gone.id)) === undefined, { what: 'a deleted webhook' })
    t.ok(await webhookRow(kept.id), 'a deleted webhook stays as long as its deliveries, for ops')
  })
})
