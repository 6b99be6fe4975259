import { randomUUID } from 'node:crypto'
import { claimDeliveries, createWebhook, insertMessage, openStore } from '@payment-tracking/store'
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

/** Claims the delivery. @returns the failure that ends it, for `finishAttempts` to write later */
export async function claimToFail({ store, webhook, message, id }: Awaited<ReturnType<typeof openDelivery>>) {
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
