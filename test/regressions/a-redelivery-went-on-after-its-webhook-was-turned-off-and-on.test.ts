// A worker had taken a page of a redelivery when the webhook was turned off and on again. The page then redelivered what
// turning off had just cancelled, although the redelivery itself had ended with it.
import { randomUUID } from 'node:crypto'
import {
  beginRedelivery,
  createWebhook,
  doWebhookWork,
  getDelivery,
  insertMessage,
  openStore,
  updateWebhook,
  type Store,
} from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

/** The store's door to Postgres, which its package does not show. */
type WithDatabase = Store & { database: { write(statement: unknown): Promise<unknown> } }

t.test('a page of a redelivery changes nothing after its webhook was off', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const gateway = randomUUID()
  const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
  const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
  const { id } = await insertMessage(store, webhook.id, message)
  await updateWebhook(store, gateway, webhook.id, { active: false })
  await doWebhookWork(store, { kinds: ['cancel'] })
  await updateWebhook(store, gateway, webhook.id, { active: true })
  const only = await beginRedelivery(store, webhook.id, {
    ...{ since: new Date(0), until: null, states: ['cancelled'] },
  })

  let writes = 0
  const real = (store as WithDatabase).database
  const paused = {
    ...store,
    database: {
      ...real,
      // The first statement takes the work, and the second writes the page.
      async write(statement: unknown) {
        writes += 1
        if (writes === 2)
          for (const active of [false, true]) await updateWebhook(store, gateway, webhook.id, { active })
        return real.write(statement)
      },
    },
  } as WithDatabase
  const page = await doWebhookWork(paused, { kinds: ['redeliver'], only })
  t.equal(writes, 2)
  t.match(page, { kind: 'redeliver', deliveries: [] })
  t.match(await getDelivery(store, webhook.id, id), { status: 'cancelled' })
})
