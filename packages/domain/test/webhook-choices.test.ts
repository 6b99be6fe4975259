import t from 'tap'
import { findHeaderProblem, passesFilters, type WebhookFilters } from '../src/index.js'

t.test('all filters of a webhook must hold; what is not known yet passes', async t => {
  const facts = { recipient: 'R', tokenMint: 'M', trackingId: 'shop-1', amount: '1000' }
  const cases: [WebhookFilters | null, Partial<typeof facts> | Record<string, null>, boolean][] = [
    [null, {}, true],
    [{}, {}, true],
    [{ recipient: 'R', tokenMint: 'M', minAmount: '1000', trackingIdPrefix: 'shop-' }, {}, true],
    [{ recipient: 'S' }, {}, false],
    [{ recipient: 'S' }, { recipient: null }, true],
    [{ tokenMint: 'N' }, {}, false],
    [{ tokenMint: 'N' }, { tokenMint: null }, true],
    [{ tokenMint: 'M', minAmount: '1001' }, {}, false],
    [{ tokenMint: 'M', minAmount: '18446744073709551615' }, { amount: '18446744073709551614' }, false],
    [{ tokenMint: 'M', minAmount: '18446744073709551615' }, { amount: '18446744073709551615' }, true],
    [{ tokenMint: 'M', minAmount: '9' }, { amount: '10' }, true],
    [{ trackingIdPrefix: 'shop-1' }, {}, true],
    [{ trackingIdPrefix: 'SHOP' }, {}, false],
    [{ trackingIdPrefix: 'shop' }, { trackingId: null }, false],
  ]
  for (const [filters, over, passes] of cases)
    t.equal(passesFilters(filters, { ...facts, ...over }), passes, JSON.stringify({ filters, over }))
  t.ok(passesFilters({ tokenMint: 'M', minAmount: '5' }, { recipient: 'R', tokenMint: 'M', trackingId: 'x' }))
})

t.test('headers that could change the request itself are refused', async t => {
  t.equal(findHeaderProblem({ authorization: 'Bearer x', 'X-Shop': 'a b' }), null)
  t.equal(findHeaderProblem({}), null)
  for (const name of [
    ...['host', 'Content-Length', 'content-type', 'Transfer-Encoding', 'connection', 'upgrade', 'webhook-id'],
    ...[
      'Webhook-Signature',
      'user-agent',
      'traceparent',
      'X-Forwarded-For',
      'proxy-authorization',
      'expect',
      'te',
    ],
  ])
    t.match(findHeaderProblem({ [name]: 'x' }), /^must not set /, name)
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'ä', 'a'.repeat(101)])
    t.match(findHeaderProblem({ [name]: 'x' }), /^must have names/, JSON.stringify(name))
  for (const value of ['', ' ', 'a\r\nx: y', 'a\0', 'ä', ' a', 'a'.repeat(1_001)])
    t.match(findHeaderProblem({ a: value }), /^must have values/, JSON.stringify(value))
  t.match(findHeaderProblem({ a: 'x', A: 'y' }), /once/)
  t.match(
    findHeaderProblem(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a${i}`, 'x']))),
    /at most 10/,
  )
})
