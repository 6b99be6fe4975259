import { Webhook } from 'standardwebhooks'
import { openReceiver } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('a payment is delivered, signed as Standard Webhooks says, to every active webhook', async t => {
  const rig = await openRig(t)
  const [one, two] = [await openReceiver(t), await openReceiver(t)]
  const first = await rig.addWebhook(`${one.url}hook?x=1`)
  const second = await rig.addWebhook(two.url, first.gateway)
  const inactive = await rig.addWebhook(two.url, first.gateway)
  await rig.database.pool.query('update webhooks set active = false where id = $1', [inactive.id])
  await rig.startWorker()
  await rig.pay(first.gateway)
  await rig.waitForStates({ delivered: 2 })
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
  const { rows } = await rig.database.pool.query('select number, outcome, status_code from delivery_attempts')
  t.strictSame(rows, [
    { number: 1, outcome: 'accepted', status_code: 200 },
    { number: 1, outcome: 'accepted', status_code: 200 },
  ])
})

t.test(
  'a failing endpoint gets 4 requests, backed off, the same bytes and id, and the delivery fails',
  async t => {
    const rig = await openRig(t)
    const receiver = await openReceiver(t)
    receiver.answer({
      status: 500,
      body: 'no',
      headers: { 'x-secret': 'hidden', 'content-type': 'text/plain' },
    })
    const { gateway } = await rig.addWebhook(receiver.url)
    await rig.startWorker({ WEBHOOK_BACKOFF_MS: '200' })
    await rig.pay(gateway)
    await rig.waitForStates({ failed: 1 })
    t.equal(receiver.requests.length, 4)
    t.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1)
    t.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 1)
    const times = receiver.requests.map(({ receivedAtMs }) => receivedAtMs)
    for (const [index, least] of [160, 320, 640].entries())
      t.ok(times[index + 1]! - times[index]! >= least, `retry ${index + 1} waits at least ${least} ms`)
    const { rows } = await rig.database.pool.query('select * from delivery_attempts order by id')
    t.strictSame(
      rows.map(row => [row.number, row.outcome, row.status_code, row.error, row.response_body]),
      [1, 2, 3, 4].map(number => [number, 'refused', 500, 'status', 'no']),
    )
    t.equal(rows[0].response_headers['content-type'], 'text/plain')
    t.notOk('x-secret' in rows[0].response_headers)
  },
)

t.test('an endpoint that recovers is delivered by a retry, and Retry-After stretches the delay', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer((_, number) =>
    number === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 204 },
  )
  const { gateway } = await rig.addWebhook(receiver.url)
  await rig.startWorker()
  await rig.pay(gateway)
  await rig.waitForStates({ delivered: 1 })
  const [first, second] = receiver.requests
  t.ok(second!.receivedAtMs - first!.receivedAtMs >= 1_000)
})

t.test('410 deactivates the webhook, fails the delivery and cancels the others', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer({ status: 410 })
  const webhook = await rig.addWebhook(receiver.url)
  await rig.startWorker()
  const [, later] = await rig.pay(webhook.gateway, 2, { enqueue: false })
  await rig.database.pool.query(`update deliveries set due_at = now() + interval '1 h' where id = $1`, [
    later!.id,
  ])
  await rig.waitForStates({ failed: 1, cancelled: 1 })
  t.equal(receiver.requests.length, 1)
  const { rows } = await rig.database.pool.query('select active, deactivated_reason from webhooks')
  t.strictSame(rows, [{ active: false, deactivated_reason: 'gone' }])
})

for (const [what, answer, error] of [
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'redirect'],
  ['no answer in time', 'hang', 'timeout'],
  ['a body that never ends', 'stall', 'timeout'],
  ['a cut connection', 'close', 'unreachable'],
] as const) {
  t.test(`${what} is a failure`, async t => {
    const rig = await openRig(t)
    const receiver = await openReceiver(t)
    receiver.answer((_, number) => (number === 1 ? answer : { status: 200 }))
    const { gateway } = await rig.addWebhook(receiver.url)
    await rig.startWorker({ WEBHOOK_TIMEOUT_MS: '500' })
    await rig.pay(gateway)
    await rig.waitForStates({ delivered: 1 })
    const { rows } = await rig.database.pool.query('select outcome, error from delivery_attempts order by id')
    t.strictSame(rows, [
      { outcome: 'refused', error },
      { outcome: 'accepted', error: null },
    ])
    t.equal(receiver.requests.length, 2)
  })
}
