// A delivery that is due at once can be claimed at once. Its due time is rounded to milliseconds, so it could lie up to half
// a millisecond ahead, and a worker that was quick enough put the delivery off.
import { randomUUID } from 'node:crypto'
import { claimDeliveries, createWebhook, insertMessage, openStore } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

const TRIES = 400

t.test('each of many deliveries is claimed right after it was made', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const endpoint = { endpointUrl: 'https://shop.example/', active: true }
  const webhook = await createWebhook(store, { gateway: randomUUID(), ...endpoint })
  const kinds: string[] = []
  for (let at = 0; at < TRIES; at += 1) {
    const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
    const { id } = await insertMessage(store, webhook.id, message)
    const [claim] = await claimDeliveries(store, [String(id)], 60_000)
    kinds.push(claim!.kind)
  }
  t.strictSame([...new Set(kinds)], ['claimed'])
})
