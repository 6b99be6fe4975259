import { Webhook } from 'standardwebhooks'
import { signDelivery } from '@payment-tracking/domain'
import { getDelivery, readAttemptSecrets, rotateWebhookSecret } from '@payment-tracking/store/admin'
import { openReceiver } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('a worker', async t => {
  const rig = await openRig(t)
  await rig.startWorker({ WEBHOOK_BACKOFF_MS: '100', WEBHOOK_TIMEOUT_MS: '3000' })

  t.test('delivers a payment, signed as Standard Webhooks says, to every active webhook', async t => {
    const [one, two] = [await openReceiver(t), await openReceiver(t)]
    const first = await rig.addWebhook(`${one.url}hook?x=1`)
    const second = await rig.addWebhook(two.url, first.gateway)
    const inactive = await rig.addWebhook(two.url, first.gateway)
    await rig.database.pool.query('update webhooks set active = false where id = $1', [inactive.id])
    await rig.pay(first.gateway)
    await rig.waitForStates({ delivered: 2 }, first)
    const [request] = one.requests
    t.equal(request!.method, 'POST')
    t.equal(request!.path, '/hook?x=1')
    t.equal(request!.headers['content-type'], 'application/json')
    t.match(request!.headers['user-agent'], /^payment-tracking-webhooks\/\d/)
    t.match(new Webhook(first.secret).verify(request!.body, request!.headers as Record<string, string>), {
      type: 'payment.executed',
      data: { trackingId: 'order-1', amountString: '18446744073709551615' },
    })
    t.match(request!.body, '"amount":18446744073709551615')
    const [other] = two.requests
    t.ok(new Webhook(second.secret).verify(other!.body, other!.headers as Record<string, string>))
    t.throws(() => new Webhook(first.secret).verify(other!.body, other!.headers as Record<string, string>))
    t.equal(other!.headers['webhook-id'], request!.headers['webhook-id'], 'one id per event')
    t.equal(other!.body, request!.body)
    const attempts = await rig.attempts(first.gateway)
    t.match(attempts, Array(2).fill({ number: 1, outcome: 'accepted', status_code: 200 }))
  })

  t.test('the headers of an attempt are told as they were sent, until the secret is another', async t => {
    const receiver = await openReceiver(t)
    const webhook = await rig.addWebhook(receiver.url)
    await rotateWebhookSecret(rig.store, webhook.gateway, webhook.id, 600)
    const [ref] = await rig.pay(webhook.gateway)
    await rig.waitForStates({ delivered: 1 }, webhook)
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[0]]
    const [attempt] = (await getDelivery(rig.store, webhook.id, ref!.id))!.attemptLog
    const readSecrets = () => readAttemptSecrets(rig.store, webhook.id, ref!.id)
    const secrets = (await readSecrets()).get(1)!
    t.equal(secrets.length, 2, 'the new secret and the one before')
    const sentAt = Math.floor(attempt!.startedAt.getTime() / 1_000)
    t.match(headers, signDelivery({ id: headers['webhook-id'] as string, sentAt, body }, secrets))
    await rig.database.pool.query(`update webhooks set format = 'slack' where id = $1`, [webhook.id])
    t.equal((await readSecrets()).size, 0, 'another format has another body')
    await rig.database.pool.query(`update webhooks set format = 'standard' where id = $1`, [webhook.id])
    t.equal((await readSecrets()).size, 1)
    await rotateWebhookSecret(rig.store, webhook.gateway, webhook.id, 0)
    t.equal((await readSecrets()).size, 0)
  })

  t.test('sends 4 requests to a failing endpoint, backed off, with the same bytes and id', async t => {
    const receiver = await openReceiver(t)
    receiver.answer({
      status: 500,
      body: 'no',
      headers: { 'x-secret': 'hidden', 'content-type': 'text/plain' },
    })
    const webhook = await rig.addWebhook(receiver.url)
    await rig.pay(webhook.gateway)
    await rig.waitForStates({ failed: 1 }, webhook)
    t.equal(receiver.requests.length, 4)
    t.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1)
    t.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 1)
    const times = receiver.requests.map(({ receivedAtMs }) => receivedAtMs)
    for (const [index, least] of [80, 160, 320].entries())
      t.ok(times[index + 1]! - times[index]! >= least, `retry ${index + 1} waits at least ${least} ms`)
    const attempts = await rig.attempts(webhook.gateway)
    t.match(
      attempts,
      [1, 2, 3, 4].map(number => ({
        number,
        outcome: 'refused',
        status_code: 500,
        error: 'status',
        response_body: 'no',
      })),
    )
    t.strictSame(Object.keys(attempts[0]!.response_headers as object).sort(), ['content-type', 'date'])
  })

  t.test('heeds Retry-After, and a recovered endpoint is delivered by a retry', async t => {
    const receiver = await openReceiver(t)
    receiver.answer((_, number) =>
      number === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 204 },
    )
    const webhook = await rig.addWebhook(receiver.url)
    await rig.pay(webhook.gateway)
    await rig.waitForStates({ delivered: 1 }, webhook)
    const [first, second] = receiver.requests
    t.ok(second!.receivedAtMs - first!.receivedAtMs >= 1_000)
  })

  t.test('deactivates on 410: the delivery fails at once, the others are cancelled', async t => {
    const receiver = await openReceiver(t)
    receiver.answer({ status: 410 })
    const webhook = await rig.addWebhook(receiver.url)
    const [now, later] = await rig.pay(webhook.gateway, 2, { enqueue: false })
    await rig.database.pool.query(`update deliveries set due_at = now() + interval '1 h' where id = $1`, [
      later!.id,
    ])
    await rig.queue.enqueueDeliveries([now!])
    await rig.waitForStates({ failed: 1, cancelled: 1 }, webhook)
    t.equal(receiver.requests.length, 1)
    const { rows } = await rig.database.pool.query(
      'select active, deactivated_reason from webhooks where id = $1',
      [webhook.id],
    )
    t.strictSame(rows, [{ active: false, deactivated_reason: 'gone' }])
  })

  for (const [what, answer, error] of [
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'redirect'],
    ['no answer in time', 'hang', 'timeout'],
    ['a body that never ends', 'stall', 'timeout'],
    ['a cut connection', 'close', 'unreachable'],
  ] as const) {
    t.test(`counts ${what} as a failure`, async t => {
      const receiver = await openReceiver(t)
      receiver.answer((_, number) => (number === 1 ? answer : { status: 200 }))
      const webhook = await rig.addWebhook(receiver.url)
      await rig.pay(webhook.gateway)
      await rig.waitForStates({ delivered: 1 }, webhook)
      t.match(await rig.attempts(webhook.gateway), [
        { outcome: 'refused', error },
        { outcome: 'accepted', error: null },
      ])
      t.equal(receiver.requests.length, 2)
    })
  }

  t.test('keeps the beginning of a large answer, and text that Postgres would refuse', async t => {
    const receiver = await openReceiver(t)
    receiver.answer({ status: 200, body: `\0${'é'.repeat(200_000)}` })
    const webhook = await rig.addWebhook(receiver.url)
    await rig.pay(webhook.gateway)
    await rig.waitForStates({ delivered: 1 }, webhook)
    const [attempt] = await rig.attempts(webhook.gateway)
    const body = attempt!.response_body as string
    t.match(body, /^\ufffdé+\ufffd?$/)
    t.ok(Buffer.byteLength(body) <= 4_100)
  })
})
