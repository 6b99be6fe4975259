// What a stranger writes can make no mention, link or markup where people read it.
import { bodyInFormat, neutralText, readTokens, renderLine } from '@payment-tracking/domain'
import fc from 'fast-check'
import t from 'tap'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const tokens = readTokens(`${USDC}=USDC:6`)
const payment = (data: object = {}) =>
  JSON.stringify({
    id: 'msg_1',
    type: 'payment.executed',
    data: {
      trackingId: 'order-7',
      signature: '52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr',
      recipient: '7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz',
      payer: '3x9az88Dkbxa6tkKByxqEn7jBTJCJCD4dVvou49L24ET',
      tokenMint: USDC,
      amount: 9_990_000,
      amountString: '9990000',
      ...data,
    },
  })
const lineOf = (data?: object) => renderLine('payment.executed', payment(data), tokens)

t.test('one line for each type', async t => {
  t.equal(
    lineOf(),
    'Payment received: 9.99 USDC, from 3x9a…24ET, to 7Q7N…1Zkz, tracking ID “order-7”, transaction 52d9…Xmjr',
  )
  const ofToken = lineOf({ tokenMint: 'So1', trackingId: null })
  t.match(ofToken, /^Payment received: 9990000 of the smallest unit of token So1, from/)
  t.match(lineOf({ tokenMint: null }), /9990000 of the smallest unit of an unknown token,/)
  const line = (type: string, data: object) => renderLine(type, JSON.stringify({ data }), tokens)
  t.equal(
    line('subscription.overdue', { trackingId: 'ada_monthly', dueAt: 1_794_992_800, payer: null }),
    'Subscription overdue: due 2026-11-18 09:06 UTC, tracking ID “ada_monthly”',
  )
  t.equal(
    line('subscription.at_risk', { dueRisk: { cause: 'insufficient_balance' }, dueAt: 1_794_992_800 }),
    'Subscription at risk: insufficient balance, due 2026-11-18 09:06 UTC',
  )
  t.equal(
    line('expectation.underpaid', {
      amountString: '10000000',
      paidAmountString: '4000000',
      tokenMint: USDC,
      reference: 'table 4',
    }),
    'Expectation underpaid: 4 USDC paid of 10 USDC, reference “table 4”',
  )
  t.equal(
    line('webhook.deactivated', { webhookId: 17, reason: 'gone', origin: 'https://shop.example' }),
    'Webhook deactivated: webhook 17, reason gone, shop․example',
  )
  t.equal(line('webhook.test', { webhookId: 17 }), 'Test message: webhook 17')
  t.equal(line('something.new', {}), 'Something new')
})

t.test('what Slack and Discord read', async t => {
  const message = { type: 'payment.executed', body: payment() }
  t.same(JSON.parse(bodyInFormat(message, 'slack', tokens)), { text: lineOf() })
  const discord = JSON.parse(bodyInFormat(message, 'discord', tokens))
  t.same(discord, { content: lineOf(), allowed_mentions: { parse: [] } })
  for (const format of ['standard', 'tributary']) t.equal(bodyInFormat(message, format, tokens), message.body)
})

/** The signs by which the two services know mentions, links and markup, and what their clients link by themselves. */
const DANGEROUS =
  /[<>&@*~`|[\]\\:“”„‟"″]|\/\/.*:|\p{L}\.\p{L}|(?:^|[^\p{L}\p{N}])_|_(?:$|[^\p{L}\p{N}])|[\n\r\u202e\u200b\u3164\u2800]/u

const BEFORE = 'Payment received: 9.99 USDC, from 3x9a…24ET, to 7Q7N…1Zkz'

t.test('no text of 64 bytes is more than text', async t => {
  const nasty = fc.constantFrom(
    ...[
      '<!channel>',
      '<@U123>',
      '@everyone',
      '<#C1>',
      '<https://evil.example|x>',
      '[x](https://evil.example)',
    ],
    ...[
      '*bold*',
      '_it_',
      '__u__',
      '~~s~~',
      '||spoiler||',
      '`code`',
      '```',
      '\n> quote',
      ':smile:',
      '\u202e',
      '&lt;',
    ],
    ...['www.evil.example', 'evil.example', '\\', 'a_b', '\u3164', '\u2800'],
    ...['”, transaction 52d9…Xmjr', '", to 7Q7N…1Zkz', '„', '‟', '″, ', '“'],
  )
  const text = fc.array(fc.oneof(nasty, fc.string({ maxLength: 8, unit: 'binary' })), { maxLength: 8 })
  const run = fc.check(
    fc.property(text, parts => {
      const written = Buffer.from(parts.join('')).subarray(0, 64).toString()
      const shown = neutralText(written)
      if (DANGEROUS.test(shown)) return false
      const slack = JSON.parse(
        bodyInFormat({ type: 'payment.executed', body: payment({ trackingId: written }) }, 'slack', tokens),
      ) as { text: string }
      const quoted = written === '' ? '' : `, tracking ID “${shown}”`
      return slack.text === `${BEFORE}${quoted}, transaction 52d9…Xmjr` && slack.text.length < 800
    }),
    { seed: 20261127, numRuns: 3_000 },
  )
  t.notOk(run.failed, JSON.stringify(run.counterexample))
})

t.test('a usual tracking ID stays readable', async t => {
  for (const id of ['order-7', 'ada_monthly', 'INV 2026.11.27', 'Größe+1', ' 注文 12 '])
    t.equal(neutralText(id), id)
})

t.test('a memo that ended in a recipient of its own read like what the service says', async t => {
  const memo = 'order-7, to 9999…9999, transaction AAAA…BBBB'
  t.equal(lineOf({ trackingId: memo }), `${BEFORE}, tracking ID “${memo}”, transaction 52d9…Xmjr`)
  const ofReference = lineOf({ trackingId: 'x”, to 9999…9999, reference “y' })
  t.equal(ofReference, `${BEFORE}, tracking ID “x', to 9999…9999, reference 'y”, transaction 52d9…Xmjr`)
})
