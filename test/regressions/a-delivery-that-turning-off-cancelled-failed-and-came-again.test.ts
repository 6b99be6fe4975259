// A webhook was turned off while a worker was sending a delivery. Everybody read the delivery as cancelled, until the last
// attempt failed: then its row became `failed`, and with `recover` it was sent again by itself once the webhook was on.
// Found by the search of test/models/deliveries.qnt.
import {
  claimDeliveries,
  finishAttempts,
  getDelivery,
  recoverFailed,
  updateWebhook,
} from '@payment-tracking/store'
import t from 'tap'
import { openDelivery } from './open-delivery.js'

t.test('a failure after turning off leaves the delivery cancelled', async t => {
  const { store, gateway, webhook, message, id } = await openDelivery(t)
  await updateWebhook(store, gateway, webhook.id, { recover: true })
  const [claim] = await claimDeliveries(store, [String(id)], 60_000)
  if (claim?.kind !== 'claimed') throw new Error('the delivery was not claimed')
  await updateWebhook(store, gateway, webhook.id, { active: false })
  const off = await getDelivery(store, webhook.id, id)
  t.match(off, { status: 'cancelled', lastError: 'webhook inactive' })

  const { attemptId, attempt } = claim.delivery
  const late = {
    attemptId,
    deliveryId: id,
    webhookId: webhook.id,
    messageId: message.id,
    attempt,
    ...({ outcome: 'refused', next: 'failed', retryInMs: 0, statusCode: 400 } as const),
    error: null,
    responseHeaders: null,
    responseBody: null,
  }
  t.match(await finishAttempts(store, [late]), [{ state: 'cancelled' }])
  const { status, lastError, finishedAt } = off!
  t.match(await getDelivery(store, webhook.id, id), { status, lastError, finishedAt })
  await updateWebhook(store, gateway, webhook.id, { active: true })
  t.same(await recoverFailed(store, { hours: 24, restMs: 0, limit: 9 }), [])
})
