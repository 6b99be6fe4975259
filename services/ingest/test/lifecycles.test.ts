// What a committed batch announces of policies, for the announcement to sockets.
import { buildChain, insertWebhook, openTestStore, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { ingestMessages } from './ingest-messages.js'

t.test('a batch announces what happened to its policies, as webhooks are notified', async t => {
  const { store, pool } = await openTestStore(t)
  const chain = buildChain({ seed: 'lifecycles' })
  const gateway = await chain.openGateway()
  const userPayment = await chain.openUserPayment()
  const brief = await chain.openPolicy(gateway, userPayment, { trackingId: 'order', maxRenewals: 1 })
  const unfollowed = await chain.openPolicy(gateway, userPayment, { trackingId: '' })
  await insertWebhook(pool, gateway.address, {
    types: ['created', 'paused', 'completed', 'deleted'].map(kind => `subscription.${kind}`),
  })
  const messages = [
    gateway.created,
    userPayment.created,
    unfollowed.created,
    brief.created,
    chain.changeStatus(brief, 'Active', 'Paused'),
    chain.pay(brief),
    chain.deletePolicy(brief),
  ].map(message => Buffer.from(JSON.stringify(message)))

  const committed = await ingestMessages(store, messages)
  t.equal(committed.length, 1)
  const { lifecycles } = committed[0]!
  const found = lifecycles.map(({ type }) => type.replace('subscription.', ''))
  t.same(found, ['created', 'paused', 'deleted', 'completed'])
  for (const each of lifecycles)
    t.match(each, { trackingId: 'order', recipient: brief.recipient, paymentPolicy: brief.address })
  const { rows } = await pool.query<{ id: string; body: string }>(
    `select message_id as id, body from ${SENT} d where body like '%"trackingId":"order"%' order by id`,
  )
  const shown = new Map(lifecycles.map(({ id, data }) => [id, data]))
  t.same(shown, new Map(rows.map(({ id, body }) => [id, body.slice(body.indexOf('"data":') + 7, -1)])))

  const again = await ingestMessages(store, messages, { firstSequence: 100 })
  const foundLifecycles = again.flatMap(batch => batch.lifecycles)
  t.same(foundLifecycles, [], 'copies announce nothing')
})
