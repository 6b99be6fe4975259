// Deliveries whose webhook was turned off while something of before was under way, and those that are due at once. What a late failure
// changed, test/models/replay.long.test.ts finds.
import { randomUUID } from 'node:crypto'
import {
  beginRedelivery,
  claimDeliveries,
  doWebhookWork,
  insertMessage,
} from '@payment-tracking/store/deliveries'
import { createWebhook, getDelivery, updateWebhook } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'

/** The store's door to Postgres, which its package does not show. */
type WithDatabase = Store & { database: { write(statement: unknown): Promise<unknown> } }
const TRIES = 400
const { store } = await openTestStore(t)

const makeDelivery = async (webhookId: bigint) => {
  const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
  return (await insertMessage(store, webhookId, message)).id
}
/** A webhook with one delivery that is due now. */
async function openDelivery() {
  const gateway = randomUUID()
  const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
  return { gateway, webhook, id: await makeDelivery(webhook.id) }
}
// A worker had taken a page of a redelivery when the webhook was turned off and on again. The page then redelivered what
// turning off had just cancelled, although the redelivery itself had ended with it.
t.test('a page of a redelivery changes nothing after its webhook was off', async t => {
  const { gateway, webhook, id } = await openDelivery()
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

// A delivery that is due at once can be claimed at once. Its due time is rounded to milliseconds, so it could lie up to half
// a millisecond ahead, and a worker that was quick enough put the delivery off.
t.test('each of many deliveries is claimed right after it was made', async t => {
  const { webhook } = await openDelivery()
  const kinds: string[] = []
  for (let at = 0; at < TRIES; at += 1) {
    const id = await makeDelivery(webhook.id)
    const [claim] = await claimDeliveries(store, [String(id)], 60_000)
    kinds.push(claim!.kind)
  }
  t.strictSame([...new Set(kinds)], ['claimed'])
})
