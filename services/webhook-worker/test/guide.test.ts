// Runs the example of docs/webhooks.md as a reader would.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import { redeliverOne } from '@payment-tracking/store/deliveries'
import { renderPaymentMessage, signDelivery, webhookSecretOf } from '@payment-tracking/domain'
import t from 'tap'
import { openRig } from './support/start-worker.js'

const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/webhook-receiver.mjs', import.meta.url))

t.test('the example receiver verifies, dedupes and answers', async t => {
  const rig = await openRig(t)
  const webhook = await rig.addWebhook('http://127.0.0.1:1/')
  const example = spawn(process.execPath, [EXAMPLE], {
    env: { WEBHOOK_SECRET: webhook.secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => example.kill())
  let output = ''
  example.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const port = await waitFor(() => /listening (\d+)/.exec(output)?.[1], { what: 'the example' })
  const url = `http://127.0.0.1:${port}/`
  await rig.database.pool.query('update webhooks set endpoint_url = $1', [url])
  await rig.startWorker()
  const [ref] = await rig.pay(webhook.gateway)
  await rig.waitForStates({ delivered: 1 })
  t.match(output, 'payment 1 of order-1: 18446744073709551615')
  await rig.queue.enqueueDeliveries(await redeliverOne(rig.store, webhook.id, ref!.id))
  await waitFor(async () => (await rig.attempts(webhook.gateway)).length === 2, { what: 'the redelivery' })
  await rig.waitForStates({ delivered: 1 })
  t.equal(output.match(/payment 1 of/g)!.length, 1, 'a repeat is not a second payment')

  const post = async (
    payment: Parameters<typeof makeCommittedPayment>[1],
    secret = webhook.secret,
    tamper = '',
  ) => {
    const message = renderPaymentMessage(makeCommittedPayment(webhook.gateway, payment))
    const headers = signDelivery({ ...message, sentAt: Math.floor(Date.now() / 1_000) }, [secret])
    return (await fetch(url, { method: 'POST', headers, body: message.body + tamper })).status
  }
  t.equal(await post({ seq: 4 }), 204)
  await waitFor(() => output.includes('still to come for order-1: 2 to 3'), { what: 'the gap' })
  t.equal(await post({}, webhookSecretOf(new Uint8Array(32))), 401, 'another secret')
  t.equal(await post({}, webhook.secret, ' '), 401, 'other bytes')
})
