// A worker that was paused past its claim wrote the failure of its attempt after the gateway had asked for a redelivery
// and before another worker took it. The attempt's number still matched, so the new round ended as failed: the gateway
// was told of a redelivery that nobody ever tried. Found by the search of test/models/deliveries.qnt.
import { randomUUID } from 'node:crypto'
import {
  claimDeliveries,
  createWebhook,
  finishAttempts,
  insertMessage,
  openStore,
  redeliverOne,
  updateWebhook,
} from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

t.test('a failure that comes after a redelivery leaves the redelivery open', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const gateway = randomUUID()
  const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
  const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
  const { id } = await insertMessage(store, webhook.id, message)

  const [claim] = await claimDeliveries(store, [String(id)], 60_000)
  if (claim?.kind !== 'claimed') throw new Error('the delivery was not claimed')
  const { attemptId, attempt } = claim.delivery
  await updateWebhook(store, gateway, webhook.id, { active: false })
  await database.pool.query(`update deliveries set claimed_until = now() - interval '1 s' where id = $1`, [
    id,
  ])
  await updateWebhook(store, gateway, webhook.id, { active: true })
  t.equal((await redeliverOne(store, webhook.id, id)).length, 1, 'the gateway is told of a new round')

  const late = {
    ...{ attemptId, deliveryId: id, webhookId: webhook.id, messageId: message.id, attempt },
    ...({ outcome: 'refused', next: 'failed', retryInMs: 0, statusCode: 400 } as const),
    ...{ error: null, responseHeaders: null, responseBody: null },
  }
  t.match(await finishAttempts(store, [late]), [{ state: 'pending' }])
  t.match(await claimDeliveries(store, [String(id)], 60_000), [{ kind: 'claimed', delivery: { attempt: 2 } }])
})
