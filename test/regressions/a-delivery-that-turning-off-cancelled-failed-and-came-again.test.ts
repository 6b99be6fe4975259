// A webhook was turned off while a worker was sending a delivery. Everybody read the delivery as cancelled, until the last
// attempt failed: then its row became `failed`, and with `recover` it was sent again by itself once the webhook was on.
// Found by the search of test/models/deliveries.qnt.
import { finishAttempts, getDelivery, recoverFailed, updateWebhook } from '@payment-tracking/store'
import t from 'tap'
import { claimToFail, openDelivery } from './open-delivery.js'

t.test('a failure after turning off leaves the delivery cancelled', async t => {
  const delivery = await openDelivery(t)
  const { store, gateway, webhook, id } = delivery
  await updateWebhook(store, gateway, webhook.id, { recover: true })
  const late = await claimToFail(delivery)
  await updateWebhook(store, gateway, webhook.id, { active: false })
  const off = await getDelivery(store, webhook.id, id)
  t.match(off, { status: 'cancelled', lastError: 'webhook inactive' })

  t.match(await finishAttempts(store, [late]), [{ state: 'cancelled' }])
  const { status, lastError, finishedAt } = off!
  t.match(await getDelivery(store, webhook.id, id), { status, lastError, finishedAt })
  await updateWebhook(store, gateway, webhook.id, { active: true })
  t.same(await recoverFailed(store, { restMs: 0, limit: 9 }), [])
})
