// Deliveries whose webhook was turned off, or that were asked for again, while something of before was still under way.
import { randomUUID } from 'node:crypto'
import {
  beginRedelivery,
  claimDeliveries,
  doWebhookWork,
  finishAttempts,
  insertMessage,
  recoverFailed,
  redeliverOne,
} from '@payment-tracking/store/deliveries'
import { createWebhook, getDelivery, updateWebhook } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'

/** The store's door to Postgres, which its package does not show. */
type WithDatabase = Store & { database: { write(statement: unknown): Promise<unknown> } }
const TRIES = 400
const { store, pool } = await openTestStore(t)

const makeDelivery = async (webhookId: bigint) => {
  const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
  const { id } = await insertMessage(store, webhookId, message)
  return { id, message }
}
/** A webhook with one delivery that is due now. */
async function openDelivery() {
  const gateway = randomUUID()
  const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
  return { gateway, webhook, ...(await makeDelivery(webhook.id)) }
}
/** Claims the delivery. @returns the failure that ends it, for `finishAttempts` to write later */
async function claimToFail({ webhook, message, id }: Awaited<ReturnType<typeof openDelivery>>) {
  const [claim] = await claimDeliveries(store, [String(id)], 60_000)
  if (claim?.kind !== 'claimed') throw new Error('the delivery was not claimed')
  return {
    attemptId: claim.delivery.attemptId,
    deliveryId: id,
    webhookId: webhook.id,
    messageId: message.id,
    attempt: claim.delivery.attempt,
    outcome: 'refused' as const,
    next: 'failed' as const,
    retryInMs: 0,
    durationMs: 20,
    statusCode: 400,
    error: null,
    responseHeaders: null,
    responseBody: null,
  }
}

// A webhook was turned off while a worker was sending a delivery. Everybody read the delivery as cancelled, until the last
// attempt failed: then its row became `failed`, and with `recover` it was sent again by itself once the webhook was on.
// Found by the search of test/models/deliveries.qnt.
t.test('a failure after turning off leaves the delivery cancelled', async t => {
  const delivery = await openDelivery()
  const { gateway, webhook, id } = delivery
  await updateWebhook(store, gateway, webhook.id, { recover: true })
  const late = await claimToFail(delivery)
  await updateWebhook(store, gateway, webhook.id, { active: false })
  const off = await getDelivery(store, webhook.id, id)
  t.match(off, { status: 'cancelled', lastError: 'webhook inactive' })

  t.match(await finishAttempts(store, [late]), [{ state: 'cancelled' }])
  const { status, lastError, finishedAt } = off!
  t.match(await getDelivery(store, webhook.id, id), { status, lastError, finishedAt })
  await updateWebhook(store, gateway, webhook.id, { active: true })
  t.same(await recoverFailed(store, { backoffMs: 0, limit: 9 }), [])
})

// A worker that was paused past its claim wrote the failure of its attempt after the gateway had asked for a redelivery
// and before another worker took it. The attempt's number still matched, so the new cycle ended as failed: the gateway
// was told of a redelivery that nobody ever tried. Found by the search of test/models/deliveries.qnt.
t.test('a failure that comes after a redelivery leaves the redelivery open', async t => {
  const delivery = await openDelivery()
  const { gateway, webhook, id } = delivery
  const late = await claimToFail(delivery)
  await updateWebhook(store, gateway, webhook.id, { active: false })
  await pool.query(`update deliveries set claimed_until = now() - interval '1 s' where id = $1`, [id])
  await updateWebhook(store, gateway, webhook.id, { active: true })
  t.equal((await redeliverOne(store, webhook.id, id)).length, 1, 'the gateway is told of a new cycle')
  t.match(await finishAttempts(store, [late]), [{ state: 'pending' }])
  t.match(await claimDeliveries(store, [String(id)], 60_000), [{ kind: 'claimed', delivery: { attempt: 2 } }])
})

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
    const { id } = await makeDelivery(webhook.id)
    const [claim] = await claimDeliveries(store, [String(id)], 60_000)
    kinds.push(claim!.kind)
  }
  t.strictSame([...new Set(kinds)], ['claimed'])
})
