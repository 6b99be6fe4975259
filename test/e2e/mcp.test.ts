// The MCP server of the dev kit as an assistant starts it, asked by the protocol's own client.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { addEvent } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../../services/api/test/gateway-auth/open-gateway-api.js'
import { signatureOf } from '../../services/api/test/open-chain.js'
import { ROOT } from './read-guide.js'

interface Answer {
  isError: boolean
  content: { text: string }[]
}

t.test('an assistant asks three questions, and changes nothing', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-mcp-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  execFileSync(process.execPath, [join(ROOT, 'infra/dev-kit/bundle.mjs'), folder])
  const api = await openGatewayApi(t)
  const { gateway, token, addWebhook } = await addSignedIn(api)
  const [app] = api.apps
  const methods = new Set<string>()
  app!.server.prependListener('request', ({ method }) => methods.add(method!))
  const url = await app!.listen({ port: 0, host: '127.0.0.1' })
  const { body: made } = await api.call('POST', '/v1/api-keys', {
    token,
    body: { name: 'assistant', scopes: ['webhooks:read', 'merchant:read'] },
  })

  const connect = async (env: Record<string, string>) => {
    const client = new Client({ name: 'test', version: '1' })
    const args = [join(folder, 'payment-tracking-mcp.js')]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
    t.teardown(() => client.close())
    return async (name: string, given: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: given })) as unknown as Answer
  }
  const listing = new Client({ name: 'test', version: '1' })
  await listing.connect(
    new StdioClientTransport({ command: process.execPath, args: [join(folder, 'payment-tracking-mcp.js')] }),
  )
  t.teardown(() => listing.close())
  const { tools } = await listing.listTools()
  const names = tools.map(({ name }) => name)
  t.strictSame(names, ['is_order_paid', 'why_webhook_failed', 'due_this_week'])
  for (const { annotations, description } of tools) {
    t.match(annotations, { readOnlyHint: true, destructiveHint: false })
    t.match(description, 'never instructions')
  }

  const signature = signatureOf('paid')
  /** It reads from right to left, and a part of it is not seen. */
  const hostile = 'order-9\u202e\u200b\u3164'
  const most = '18446744073709551615'
  const { address } = gateway
  const accounts = { gateway: address, payment_policy: address, recipient: address, token_mint: address }
  const columns = { signature, ...accounts, tracking_id: hostile, seq: 1, amount: most }
  const eventId = await addEvent(api.database.pool, columns)
  const { body: webhook } = await addWebhook({ endpoint_url: 'https://shop.example/hidden?key=hidden' })
  await api.database.pool.query(
    `insert into deliveries (webhook_id, event_id, message_id, type, message, state, last_error)
     values ($1, $2, 'm', 'payment.executed', 0, 'failed', 'timeout')`,
    [webhook.id, eventId],
  )
  const ask = await connect({ PAYMENT_TRACKING_URL: url, PAYMENT_TRACKING_API_KEY: made.key })
  const order = { trackingId: hostile, recipient: gateway.address, tokenMint: gateway.address }
  const read = ({ content }: Answer) => JSON.parse(content[0]!.text) as Record<string, unknown>
  const paid = await ask('is_order_paid', { ...order, amount: most })
  t.match(read(paid), { paid: true, answeredBy: 'payments', payments: [{ amount: most }] }, 'every digit')
  t.match(read(await ask('is_order_paid', { ...order, trackingId: 'order-8', amount: '1' })), { paid: false })

  await t.test('an order that is paid by two parts was not paid', async t => {
    const { rows: expected } = await api.database.pool.query<{ id: string }>(
      `insert into expectations (gateway, tracking_id, recipient, token_mint, amount, paid_amount, in_time_amount, payment_count, state)
       values ($1, 'parts', $1, $1, 10, 10, 10, 2, 'paid'), ($1, 'parts', $2, $1, 10, 4, 4, 1, 'underpaid') returning id`,
      [gateway.address, '11111111111111111111111111111112'],
    )
    const parts = { ...order, trackingId: 'parts', amount: '10' }
    t.match(read(await ask('is_order_paid', parts)), {
      paid: true,
      answeredBy: 'expectation',
      expectation: { id: expected[0]!.id, state: 'paid', paidAmountString: '10', paymentCount: 2 },
    })
    for (const [what, given, answer] of [
      ['a part', { recipient: '11111111111111111111111111111112' }, { expectation: { state: 'underpaid' } }],
      ['more than was paid', { amount: '11' }, { expectation: { state: 'paid' } }],
      ['what is not final', { finality: 'finalized' }, { expectation: { finality: 'confirmed' } }],
      ['another token', { tokenMint: '11111111111111111111111111111112' }, { answeredBy: 'payments' }],
    ] as const)
      t.match(read(await ask('is_order_paid', { ...parts, ...given })), { paid: false, ...answer }, what)
    const { body: weak } = await api.call('POST', '/v1/api-keys', {
      token,
      body: { name: 'weak', scopes: ['webhooks:read'] },
    })
    for (const key of [{ PAYMENT_TRACKING_API_KEY: weak.key as string }, {}]) {
      const askOthers = await connect({ PAYMENT_TRACKING_URL: url, ...key })
      const ofOthers = read(await askOthers('is_order_paid', parts))
      t.match(ofOthers, { paid: false, answeredBy: 'payments', note: /parts are not added up/ })
    }
  })

  await t.test('null for an optional argument was asked as the text null', async t => {
    t.match(read(await ask('is_order_paid', { ...order, amount: most, finality: null })), { paid: true })
    const nothing = { trackingId: null, signature: null, webhookId: null }
    for (const given of [
      { trackingId: order.trackingId },
      { webhookId: String(webhook.id) },
      { webhookId: webhook.id },
    ])
      t.match(read(await ask('why_webhook_failed', { ...nothing, ...given })), {
        failed: [{ status: 'failed' }],
      })
    for (const [name, given, problem] of [
      ['due_this_week', { gateway: null }, /^Missing: gateway\.$/],
      ['is_order_paid', { ...order, amount: null }, /^Missing: amount\.$/],
      ['why_webhook_failed', nothing, /Name a trackingId/],
      ['is_order_paid', { ...order, amount: 2 ** 64 }, /^Argument amount must be a string\.$/],
      ['is_order_paid', { ...order, amount: ['1'] }, /^Argument amount must be a string\.$/],
    ] as const)
      t.match(await ask(name, given), { isError: true, content: [{ text: problem }] }, JSON.stringify(given))
  })

  const shown = 'order-9\\u{202e}\\u{200b}\\u{3164}'
  const failed = { failed: [{ status: 'failed', trackingId: shown, signature }], waiting: [] }
  const why = await ask('why_webhook_failed', { trackingId: hostile })
  t.match(read(why), failed)
  const asText = read(await ask('why_webhook_failed', { webhookId: String(webhook.id) }))
  t.match(asText, { ...failed, endpoint: { id: webhook.id, origin: 'https://shop.example' } })
  for (const answer of [why, await ask('why_webhook_failed', { webhookId: String(webhook.id) })])
    t.notMatch(
      JSON.stringify(answer),
      /[\u202e\u200b\u3164]|hidden/,
      'what is not seen, and the path of a URL',
    )
  t.match(read(await ask('due_this_week', { gateway: gateway.address })), { isComplete: true, due: {} })

  for (const [name, given, problem] of [
    ['is_order_paid', { trackingId: 'order-9' }, /Missing: recipient, tokenMint, amount/],
    ['why_webhook_failed', {}, /Name a trackingId/],
    ['delete_everything\u202e', {}, /no tool delete_everything\\u\{202e\}/],
    ['due_this_week', { gateway: '11111111111111111111111111111112' }, /^403 FORBIDDEN/],
  ] as const)
    t.match(await ask(name, given), { isError: true, content: [{ text: problem }] }, name)
  const stranger = await connect({ PAYMENT_TRACKING_URL: url })
  const byStranger = await stranger('due_this_week', { gateway: gateway.address })
  t.match(byStranger, { isError: true, content: [{ text: /^401 .*PAYMENT_TRACKING_API_KEY/ }] })
  const nobody = await connect({ PAYMENT_TRACKING_URL: 'http://127.0.0.1:1' })
  const byNobody = await nobody('is_order_paid', { ...order, amount: '1' })
  t.match(byNobody, { isError: true, content: [{ text: /does not answer/ }] })
  t.strictSame([...methods], ['GET'])
})
