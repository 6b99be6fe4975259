// A shop's endpoint that refuses orders it does not know, among strangers who pay dust with memos of their own.
import { insertDeliveries } from '@payment-tracking/store/messages'
import { makeCommittedPayment, openReceiver, type TestContext } from '@payment-tracking/testkit'
import { openRig } from './start-worker.js'

const IS_OWN = /"trackingId":"own-/

/** Starts three workers with the default settings of retries, caps and time-outs. */
export async function openDustyShop(t: TestContext, { status = 404, workers = 3, backoffMs = 5_000 } = {}) {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer(({ body }) => ({ status: IS_OWN.test(body) ? 204 : status }))
  const webhook = await rig.addWebhook(receiver.url)
  for (let n = 0; n < workers; n++)
    await rig.startWorker({ WEBHOOK_BACKOFF_MS: String(backoffMs), WEBHOOK_TIMEOUT_MS: '10000' })
  let paid = 0
  const pay = async (name: string, count: number) => {
    const payments = Array.from({ length: count }, () =>
      makeCommittedPayment(webhook.gateway, { trackingId: `${name}-${++paid}` }),
    )
    await rig.queue.enqueueDeliveries(await insertDeliveries(rig.store, payments))
    return payments.map(({ trackingId }) => trackingId!)
  }
  return { rig, receiver, webhook, pay }
}

/** Where the first request of a tracking ID stands among all requests; -1 before it. */
export const indexOf = (requests: readonly { body: string }[], trackingId: string): number =>
  requests.findIndex(({ body }) => body.includes(`"trackingId":"${trackingId}"`))
