import t from 'tap'
import { signDelivery, webhookSecretOf } from '../src/deliveries/delivery-signature.js'

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
