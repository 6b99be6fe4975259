// What leaves the console: the days of a file, an expected payment, a delivery's body and the commands that repeat it.
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { faultsOf, OTHER_TOKEN, toExpectation, type Draft } from '../src/site/gateway/expectation-draft.js'
import { spanOf } from '../src/site/gateway/export-spans.js'
import { repeatRequest } from '../src/site/gateway/repeat-request.js'
import { revenueSpan } from '../src/site/gateway/revenue-span.js'
import { formatJson } from '../src/site/show/format-json.js'
import { shownWords } from '../src/site/show/pager.js'

const NOW = Date.UTC(2026, 0, 7, 13)
const DAY_MS = 86_400_000

t.test('a file is of the days of the page, of a month, or of all time', async t => {
  t.same(spanOf('page', '2026-01-01', NOW), { startTime: '2026-01-01', endTime: '2026-01-07' })
  t.same(spanOf('this-month', '', NOW), { startTime: '2026-01-01', endTime: '2026-01-07' })
  t.same(spanOf('last-month', '', NOW), { startTime: '2025-12-01', endTime: '2025-12-31' })
  t.same(spanOf('all', '', NOW), {})
})

t.test('a chart begins with a whole day, or with a whole week', async t => {
  t.same(revenueSpan(30, NOW), { startTime: '2025-12-09T00:00:00.000Z', per: 'day', name: '30 days' })
  for (let day = 0; day < 7; day++) {
    const now = NOW + day * DAY_MS
    const { startTime, per, name } = revenueSpan(365, now)
    const start = new Date(startTime)
    t.equal(start.getUTCDay(), 1, 'a Monday')
    t.equal(start.getTime() % DAY_MS, 0)
    const weeks = Math.ceil((now - start.getTime()) / DAY_MS / 7)
    t.same([weeks, per, name], [52, 'week', '52 weeks'], 'this week is the last of them')
  }
})

t.test('all that is wrong with an expected payment is said at once', async t => {
  const usdc = '1'.repeat(32)
  const tokens = new Map([[usdc, { symbol: 'USDC', decimals: 6 }]])
  const right: Draft = {
    trackingId: 'cart-1',
    recipient: 'R'.repeat(40),
    token: usdc,
    otherMint: '',
    amount: '4.50',
    until: '',
    reference: '',
  }
  t.same(faultsOf(right, tokens, NOW), {})
  t.same(toExpectation(right, tokens), {
    trackingId: 'cart-1',
    recipient: right.recipient,
    tokenMint: usdc,
    amount: '4500000',
  })
  const other = { ...right, token: OTHER_TOKEN, otherMint: usdc, amount: '12' }
  t.match(toExpectation(other, tokens), { tokenMint: usdc, amount: '12' }, 'in the smallest unit')
  const wrong: Draft = {
    trackingId: 'x'.repeat(65),
    recipient: 'me',
    token: OTHER_TOKEN,
    otherMint: '',
    amount: '0',
    until: '2020-01-01T00:00',
    reference: 'é'.repeat(33),
  }
  t.same(Object.keys(faultsOf(wrong, tokens, NOW)).sort(), [
    ...['amount', 'otherMint', 'recipient', 'reference', 'trackingId', 'until'],
  ])
  t.ok('amount' in faultsOf({ ...right, amount: '4.5000001' }, tokens, NOW), 'more digits than the token has')
})

t.test('a body in lines keeps each digit, and says the same', async t => {
  t.equal(
    formatJson('{"amount":18446744073709551615,"a":[],"b":{ },"c":[1,"x, {y}\\""]}'),
    '{\n  "amount": 18446744073709551615,\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    "x, {y}\\""\n  ]\n}',
  )
  t.equal(formatJson('not {json'), 'not {json')
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      t.equal(JSON.stringify(JSON.parse(formatJson(text))), text)
      if (typeof value === 'object' && value !== null)
        t.equal(formatJson(text), JSON.stringify(value, null, 2))
    }),
    { numRuns: 50 },
  )
})

t.test('the commands that repeat a delivery sign it as the service does, whatever is in it', async t => {
  const secret = Buffer.from('a secret of an endpoint!').toString('base64')
  const messageId = 'msg_1'
  const body = `{"memo":"it's $(touch /tmp/no) \`x\` \\\\ ü"}`
  const script = repeatRequest({ url: 'https://shop.example/hook', messageId, body })
  // In place of curl: what it is called with, each on its own.
  const print = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n`
  const { stdout } = await promisify(execFile)('sh', ['-c', print + script], {
    env: { ...process.env, WEBHOOK_SECRET: `whsec_${secret}` },
  })
  const given = stdout.split('\0')
  const header = (name: string) => given.find(each => each.startsWith(`${name}: `))!.slice(name.length + 2)
  t.equal(given[2], 'https://shop.example/hook')
  t.equal(given.at(-2), body)
  t.equal(header('webhook-id'), messageId)
  const signed = `${messageId}.${header('webhook-timestamp')}.${body}`
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64')
  t.equal(header('webhook-signature'), `v1,${signature}`)
})

t.test('a list says how many of how many it shows', async t => {
  t.equal(shownWords(0, 3, false), '3 in total.')
  t.equal(shownWords(0, 50, true), 'The first 50 of more than 50.')
  t.equal(shownWords(50, 50, true), '51 to 100 of more than 100.')
  t.equal(shownWords(50, 0, false), 'No more.')
  t.equal(shownWords(50, 7, false), '51 to 57 of 57.')
})
