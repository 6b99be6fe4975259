import type { CommittedPayment } from '@payment-tracking/contracts'
import t from 'tap'
import { renderPaymentMessage, renderTestMessage } from '../src/deliveries/delivery-message.js'

const payment: CommittedPayment = {
  eventId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  position: '7',
  trackingId: 'order "7"\n✓',
  seq: 3,
  signature: 'sig',
  slot: 9007199254740991,
  occurredAt: '2026-11-20T10:00:00.123Z',
  paidAt: '-9223372036854775808',
  paymentPolicy: 'policy',
  gateway: 'gateway',
  amount: '18446744073709551615',
  recordId: 4294967295,
  recipient: null,
  payer: null,
  tokenMint: null,
}

t.test('a payment keeps every digit of a u64 and of an i64', t => {
  const { body } = renderPaymentMessage(payment)
  t.match(body, '"amount":18446744073709551615,')
  t.match(body, '"amountString":"18446744073709551615"')
  t.match(body, '"timestamp":-9223372036854775808,')
  t.end()
})

t.test('the body has the fields of the contract, in valid JSON, unknown ones null', t => {
  const message = renderPaymentMessage(payment)
  const parsed = JSON.parse(message.body)
  t.strictSame(Object.keys(parsed), ['id', 'type', 'timestamp', 'position', 'data'])
  t.equal(parsed.id, message.id)
  t.equal(parsed.type, 'payment.executed')
  t.equal(parsed.timestamp, payment.occurredAt)
  t.equal(parsed.position, 7)
  t.strictSame(
    Object.keys(parsed.data),
    'trackingId eventId signature slot timestamp paymentPolicy gateway recipient payer tokenMint amount amountString memo recordId seq'.split(
      ' ',
    ),
  )
  t.equal(parsed.data.trackingId, payment.trackingId)
  t.equal(parsed.data.memo, payment.trackingId)
  t.strictSame([parsed.data.recipient, parsed.data.payer, parsed.data.tokenMint], [null, null, null])
  const unnamed = JSON.parse(renderPaymentMessage({ ...payment, trackingId: null, seq: null }).body)
  t.strictSame([unnamed.data.trackingId, unnamed.data.memo, unnamed.data.seq], [null, '', null])
  const odd = JSON.parse(
    renderPaymentMessage({ ...payment, trackingId: null, seq: null, memo: 'a\uFFFD' }).body,
  )
  t.equal(odd.data.memo, 'a\uFFFD')
  t.end()
})

t.test('the same event is the same bytes and the same id, without a dot', t => {
  t.strictSame(renderPaymentMessage(payment), renderPaymentMessage({ ...payment }))
  t.notMatch(renderPaymentMessage({ ...payment, eventId: 'a.b.c' }).id, /\./)
  const sent = renderPaymentMessage(payment)
  for (const other of [{ seq: 4 }, { payer: 'known by now' }, { recipient: 'r' }, { tokenMint: 'm' }])
    t.not(renderPaymentMessage({ ...payment, ...other }).id, sent.id, 'other content is another message')
  const stored = renderPaymentMessage({ ...payment, position: '8' })
  t.equal(stored.id, sent.id, 'a database that lost commits can give it another position')
  t.end()
})

t.test('text that is no integer never becomes a JSON literal', t => {
  t.throws(() => renderPaymentMessage({ ...payment, amount: '1,"x":2' }), TypeError)
  t.throws(() => renderPaymentMessage({ ...payment, paidAt: '' }), TypeError)
  t.end()
})

t.test('a test message says what it is', t => {
  const message = renderTestMessage({
    webhookId: 4n,
    gateway: 'g',
    format: 'standard',
    nonce: 'ab.c',
    at: new Date(0),
  })
  t.strictSame(JSON.parse(message.body), {
    id: 'msg_testabc',
    type: 'webhook.test',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: { webhookId: 4, gateway: 'g' },
  })
  t.end()
})
