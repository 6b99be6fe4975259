// Workers write and notify of what expires, and of one expectation in order, whatever the webhook chose.
import { createExpectation } from '@payment-tracking/store/admin'
import { readExpectation } from '@payment-tracking/store/reads'
import { buildAddress, openReceiver, waitFor, workAsIngest } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

const rig = await openRig(t)
const { pool } = rig.database
await rig.startWorker()
workAsIngest(t, rig.store)

const hookTo = async (url: string) => {
  const webhook = await rig.addWebhook(url)
  await pool.query(
    `update webhooks set event_types = '{expectation.expired,expectation.paid}' where id = $1`,
    [webhook.id],
  )
  return webhook
}

t.test('what expires is notified once, although nothing happens', async t => {
  const receiver = await openReceiver(t)
  const { gateway } = await hookTo(receiver.url)
  const { record } = await createExpectation(rig.store, {
    gateway,
    trackingId: 'order-1',
    recipient: buildAddress('till'),
    tokenMint: buildAddress('token'),
    amount: 100n,
    expiresAt: new Date(Date.now() + 3_600_000),
    reference: 'cart 9',
  })
  await waitFor(async () => !(await readExpectation(rig.store, record.id))!.counting, { what: 'the count' })
  // The time is over, although none has passed.
  const { rows: moved } = await pool.query<{ at: Date }>(
    `update expectations set created_at = created_at - interval '1 h', changed_at = changed_at - interval '1 h',
            expires_at = now() - interval '1 s', next_check_at = now() - interval '1 s' where id = $1 returning expires_at as at`,
    [record.id],
  )
  const expiresAt = moved[0]!.at
  await waitFor(() => receiver.requests.length > 0, { what: 'the notice' })
  const body = JSON.parse(receiver.requests[0]!.body) as object
  t.match(body, {
    type: 'expectation.expired',
    timestamp: expiresAt.toISOString(),
    data: {
      id: record.id,
      state: 'expired',
      paidAmount: 0,
      reference: 'cart 9',
      changedAt: expiresAt.toISOString(),
    },
  })
  const { rows } = await pool.query('select state, final_state, next_check_at from expectations')
  t.same(rows, [{ state: 'expired', final_state: 'expired', next_check_at: null }])
})

t.test('a later notice of an expectation waits for the earlier, and for no other', async t => {
  const receiver = await openReceiver(t)
  const { id } = await hookTo(receiver.url)
  let refusals = 2
  receiver.answer(({ body }) => ({ status: body.includes('first of a') && refusals-- > 0 ? 503 : 204 }))
  await pool.query(
    `with m as (insert into messages (gateway, message_id, type, body)
       select 'shop', k || n, 'expectation.paid', '"' || w || ' of ' || k || '"'
         from (values (1, 'first'), (2, 'second')) m (n, w), (values ('a'), ('b')) e (k) order by n, k
       returning *)
     insert into deliveries (webhook_id, order_key, message_id, type, message)
     select $1, 'expectation ' || left(message_id, 1), message_id, type, id from m order by id`,
    [id],
  )
  await waitFor(() => receiver.requests.length >= 6, { what: 'all deliveries' })
  const received = receiver.requests.map(({ body }) => body.replaceAll('"', ''))
  const found = received.filter(text => text.endsWith('a'))
  t.same(found, ['first of a', 'first of a', 'first of a', 'second of a'])
  const ofB = received.filter(text => text.endsWith('b'))
  t.same(ofB, ['first of b', 'second of b'])
})
