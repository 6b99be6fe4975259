import { randomUUID } from 'node:crypto'
import { createWebhook, insertMessage, openStore } from '@payment-tracking/store'
import { createDatabase, type TestContext } from '@payment-tracking/testkit'

/** A webhook with one delivery that is due now, in a database of the test. */
export async function openDelivery(t: TestContext) {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const gateway = randomUUID()
  const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
  const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
  const { id } = await insertMessage(store, webhook.id, message)
  return { database, store, gateway, webhook, message, id }
}
