// A worker had taken a page of a redelivery when the webhook was turned off and on again. The page then redelivered what
// turning off had just cancelled, although the redelivery itself had ended with it.
import {
  beginRedelivery,
  doWebhookWork,
  getDelivery,
  updateWebhook,
  type Store,
} from '@payment-tracking/store'
import t from 'tap'
import { openDelivery } from './open-delivery.js'

/** The store's door to Postgres, which its package does not show. */
type WithDatabase = Store & { database: { write(statement: unknown): Promise<unknown> } }

t.test('a page of a redelivery changes nothing after its webhook was off', async t => {
  const { store, gateway, webhook, id } = await openDelivery(t)
  await updateWebhook(store, gateway, webhook.id, { active: false })
  await doWebhookWork(store, { kinds: ['cancel'] })
  await updateWebhook(store, gateway, webhook.id, { active: true })
  await beginRedelivery(store, webhook.id, {
    since: new Date(0),
    until: null,
    states: ['cancelled'],
  })

  let writes = 0
  const real = (store as WithDatabase).database
  const paused = {
    ...store,
    database: {
      ...real,
      // Statements take the work, read the quota, and write the page.
      async write(statement: unknown) {
        writes += 1
        if (writes === 3)
          for (const active of [false, true]) await updateWebhook(store, gateway, webhook.id, { active })
        return real.write(statement)
      },
    },
  } as WithDatabase
  const page = await doWebhookWork(paused, { kinds: ['redeliver'], only: webhook.id })
  t.equal(writes, 3)
  t.match(page, { kind: 'redeliver', deliveries: [] })
  t.match(await getDelivery(store, webhook.id, id), { status: 'cancelled' })
})
