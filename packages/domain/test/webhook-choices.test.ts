import t from 'tap'
import { findHeaderProblem, judgeFilters, type WebhookFilters } from '../src/index.js'

t.test('all filters of a webhook must hold; they cannot judge what is not known yet', async t => {
  const details = { recipient: 'R', tokenMint: 'M', trackingId: 'shop-1', amount: '1000' }
  const cases: [WebhookFilters | null, Partial<typeof details> | Record<string, null>, string][] = [
    [null, {}, 'passes'],
    [{}, {}, 'passes'],
    [{ recipient: 'R', tokenMint: 'M', minAmount: '1000', trackingIdPrefix: 'shop-' }, {}, 'passes'],
    [{ recipient: 'S' }, {}, 'refused'],
    [{ recipient: 'S' }, { recipient: null }, 'unknown'],
    [{ tokenMint: 'N' }, {}, 'refused'],
    [{ tokenMint: 'N' }, { tokenMint: null }, 'unknown'],
    [{ tokenMint: 'M', minAmount: '1001' }, {}, 'refused'],
    [{ tokenMint: 'M', minAmount: '18446744073709551615' }, { amount: '18446744073709551614' }, 'refused'],
    [{ tokenMint: 'M', minAmount: '18446744073709551615' }, { amount: '18446744073709551615' }, 'passes'],
    [{ tokenMint: 'M', minAmount: '9' }, { amount: '10' }, 'passes'],
    [{ trackingIdPrefix: 'shop-1' }, {}, 'passes'],
    [{ trackingIdPrefix: 'SHOP' }, {}, 'refused'],
    [{ trackingIdPrefix: 'shop' }, { trackingId: null }, 'refused'],
    [{ recipient: 'R', tokenMint: 'N' }, { recipient: null }, 'refused'],
    [{ recipient: 'R', trackingIdPrefix: 'x' }, { recipient: null }, 'refused'],
    [{ tokenMint: 'M', minAmount: '1001' }, { tokenMint: null }, 'refused'],
    [{ recipient: 'R' }, { tokenMint: null }, 'passes'],
  ]
  for (const [filters, over, judged] of cases)
    t.equal(judgeFilters(filters, { ...details, ...over }), judged, JSON.stringify({ filters, over }))
  const policy = { recipient: 'R', tokenMint: 'M', trackingId: 'x' }
  t.equal(judgeFilters({ tokenMint: 'M', minAmount: '5' }, policy), 'passes')
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
  const tooMany = findHeaderProblem(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a${i}`, 'x'])))
  t.match(tooMany, /at most 10/)
})
