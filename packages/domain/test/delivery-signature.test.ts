import t from 'tap'
import { isSignedDelivery, signDelivery, webhookSecretOf } from '../src/deliveries/delivery-signature.js'

t.test('the published test vector of Standard Webhooks signs as published', t => {
  const headers = signDelivery(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', sentAt: 1614265330, body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  )
  t.strictSame(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
  t.end()
})

t.test('two live secrets give two signatures, apart by a space', t => {
  const [one, two] = [1, 2].map(fill => webhookSecretOf(new Uint8Array(32).fill(fill))) as [string, string]
  const message = { id: 'msg_1', sentAt: 1, body: '{}' }
  const both = signDelivery(message, [one, two])['webhook-signature'].split(' ')
  t.equal(both[0], signDelivery(message, [one])['webhook-signature'])
  t.equal(both[1], signDelivery(message, [two])['webhook-signature'])
  t.end()
})

t.test('a secret is whsec_ and standard base64 of 32 bytes', t => {
  t.equal(webhookSecretOf(new Uint8Array(32).fill(255)), `whsec_${'/'.repeat(42)}8=`)
  t.throws(() => webhookSecretOf(new Uint8Array(8)), RangeError)
  t.end()
})

t.test('a receiver takes what one of its secrets signed lately, and nothing else', t => {
  const [secret, other] = [1, 2].map(fill => webhookSecretOf(new Uint8Array(32).fill(fill))) as [
    string,
    string,
  ]
  const headers = signDelivery({ id: 'msg_1', sentAt: 1_000, body: '{}' }, [secret, other])
  const takes = (more: Record<string, string | undefined> = {}, body = '{}', now = 1_000, by = [secret]) =>
    isSignedDelivery({ ...headers, ...more }, body, by, now)
  t.ok(takes())
  t.ok(takes({}, '{}', 1_300))
  t.ok(takes({}, '{}', 1_000, [other]))
  t.notOk(takes({}, '{ }'))
  t.notOk(takes({}, '{}', 1_301))
  t.notOk(takes({}, '{}', NaN))
  t.notOk(takes({}, '{}', 1_000, [webhookSecretOf(new Uint8Array(32))]))
  t.notOk(takes({ 'webhook-id': 'msg_2' }))
  t.notOk(takes({ 'webhook-id': undefined, 'webhook-timestamp': undefined, 'webhook-signature': undefined }))
  for (const time of ['1001', '1e3', '', 'soon']) t.notOk(takes({ 'webhook-timestamp': time }), time)
  for (const signature of ['', 'v1,', 'v1', 'v1,AAAA']) t.notOk(takes({ 'webhook-signature': signature }))
  t.end()
})
