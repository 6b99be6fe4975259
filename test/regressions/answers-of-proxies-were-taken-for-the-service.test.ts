// A proxy on the way can answer instead of the service: such an answer says nothing about payments.
import { expectPayment, ExpectPaymentError, watchExpectation } from '@payment-tracking/client'
import { openReceiver, waitFor, type Receiver, type ReceiverAnswer } from '@payment-tracking/testkit'
import t from 'tap'

const HTML = { 'content-type': 'text/html' }
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const refusal = (code: string, more = {}) =>
  JSON.stringify({ success: false, code, error: `${code} it is.`, timestamp: 1, requestId: 'r', ...more })

const expect = ({ url }: Receiver) =>
  expectPayment(`${url}pay`, {
    gateway: 'G',
    token: 'T',
    trackingId: 'order',
    recipient: 'R',
    tokenMint: 'M',
    amount: 1n,
  })

t.test('expectPayment threw TypeErrors, or errors without a code, at answers of proxies', async t => {
  const receiver = await openReceiver(t)
  for (const [what, answer, sentence] of [
    [
      'an empty 502',
      { status: 502, headers: { 'content-length': '0' } },
      /^502 of .*\/pay\/v1\/gateway\/G\//,
    ],
    ['an empty 502 in chunks', { status: 502, headers: JSON_TYPE }, /^502 /],
    ['204', { status: 204 }, /^204 /],
    ['502 HTML', { status: 502, headers: HTML, body: '<h1>Bad gateway</h1>' }, /^502 /],
    ['504 JSON', { status: 504, headers: JSON_TYPE, body: '{"message":"timed out"}' }, /^504 /],
    [
      'JSON of another server',
      { status: 404, headers: JSON_TYPE, body: '{"code":"NOT_FOUND","error":"Not Found"}' },
      /^404 /,
    ],
    ['null', { status: 502, headers: JSON_TYPE, body: 'null' }, /^502 /],
    ['a page to sign in', { status: 200, headers: HTML, body: '<form>' }, /^No answer arrived \(/],
    ['an empty 200', { status: 200 }, /^(200|No)/],
    ['200 of another server', { status: 200, headers: JSON_TYPE, body: '{"ok":true}' }, /^200 /],
    ['a cut connection', 'close', /^No answer arrived \(/],
    ['half an answer', { status: 201, headers: JSON_TYPE, body: '{"id":"1' }, /^No answer arrived \(/],
  ] as [string, ReceiverAnswer, RegExp][]) {
    receiver.answer(answer)
    const error = await expect(receiver).then(
      () => undefined,
      (each: unknown) => each,
    )
    t.type(error, ExpectPaymentError, what)
    t.match(error, { code: 'UNKNOWN', message: sentence, id: undefined }, what)
    t.match(error, { message: /not known .*ask the same again\.$/ }, what)
  }
  receiver.answer({ status: 409, headers: JSON_TYPE, body: refusal('EXPECTATION_EXISTS', { id: '7' }) })
  await t.rejects(expect(receiver), {
    code: 'EXPECTATION_EXISTS',
    message: 'EXPECTATION_EXISTS it is.',
    id: '7',
  })
})

t.test("a buyer's page took a proxy's 404 for a missing expectation, and stopped asking", async t => {
  const receiver = await openReceiver(t)
  let isMissing = false
  const answers: ReceiverAnswer[] = [
    { status: 404, headers: HTML, body: '<h1>No pods</h1>' },
    { status: 404, headers: JSON_TYPE, body: refusal('NOT_FOUND') },
  ]
  receiver.answer(() => answers.shift()!)
  const watch = watchExpectation(receiver.url, {
    id: 'none',
    onChange: () => t.fail('there is none'),
    onMissing: () => (isMissing = true),
  })
  t.teardown(() => watch.close())
  await waitFor(() => isMissing, { what: 'the answer of the service' })
  t.equal(receiver.requests.length, 2)
})
