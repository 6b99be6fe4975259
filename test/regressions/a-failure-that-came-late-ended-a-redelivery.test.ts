// A worker that was paused past its claim wrote the failure of its attempt after the gateway had asked for a redelivery
// and before another worker took it. The attempt's number still matched, so the new round ended as failed: the gateway
// was told of a redelivery that nobody ever tried. Found by the search of test/models/deliveries.qnt.
import { claimDeliveries, finishAttempts, redeliverOne, updateWebhook } from '@payment-tracking/store'
import t from 'tap'
import { claimToFail, openDelivery } from './open-delivery.js'

t.test('a failure that comes after a redelivery leaves the redelivery open', async t => {
  const delivery = await openDelivery(t)
  const { database, store, gateway, webhook, id } = delivery
  const late = await claimToFail(delivery)
  await updateWebhook(store, gateway, webhook.id, { active: false })
  await database.pool.query(`update deliveries set claimed_until = now() - interval '1 s' where id = $1`, [
    id,
  ])
  await updateWebhook(store, gateway, webhook.id, { active: true })
  t.equal((await redeliverOne(store, webhook.id, id)).length, 1, 'the gateway is told of a new round')
  t.match(await finishAttempts(store, [late]), [{ state: 'pending' }])
  t.match(await claimDeliveries(store, [String(id)], 60_000), [{ kind: 'claimed', delivery: { attempt: 2 } }])
})
