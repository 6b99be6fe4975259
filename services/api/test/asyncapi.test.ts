import { Parser } from '@asyncapi/parser'
import t from 'tap'
import { openApi } from './open-api.js'

const { app, get } = await openApi(t)

t.test("AsyncAPI's own parser finds nothing but that 3.1 exists", async t => {
  const { status, text, body, headers } = await get('/asyncapi.json', {
    headers: { host: 'pay.example:8080' },
  })
  t.equal(status, 200)
  t.match(headers['content-type'], 'application/json')
  t.equal(body.asyncapi, '3.0.0')
  const { document, diagnostics } = await new Parser().parse(text)
  // 3.0 was promised: more tools read it.
  const codes = diagnostics.map(({ code }) => code)
  t.same(codes, ['asyncapi-latest-version'])
  const addresses = document!
    .channels()
    .all()
    .map(channel => channel.address())
  t.strictSame(addresses, [
    '/ws/v1',
    '/v1/payments/stream',
    '/v1/events/stream',
    null,
    'chain.events.{eventName}',
    'chain.events.control.finalized',
    'chain.events.control.retracted',
    'chain.events.control.gap',
    'chain.events.control.funds',
  ])
  t.match(body.servers, {
    http: { host: 'pay.example:8080', protocol: 'http' },
    websocket: { host: 'pay.example:8080', protocol: 'ws' },
  })
  t.match((await get('/asyncapi.json', { headers: { host: 'a"b' } })).body.servers.http, {
    protocol: 'https',
  })
})

t.test('the page shows every channel, message and field beside the routes', async t => {
  const { body } = await get('/asyncapi.json')
  t.equal((await app.inject('/docs/messages')).headers.location, '/docs/messages/')
  t.match((await app.inject('/docs/')).body, '<a href="/docs/messages/">')
  const page = await app.inject('/docs/messages/')
  t.match(page.headers['content-type'], /text\/html/)
  t.notMatch(page.body, /<script|https?:\/\/|\son[a-z]+=/i, 'nothing of other servers, and no script')
  for (const [name, { messages }] of Object.entries<{ messages: object }>(body.channels)) {
    t.match(page.body, `<section id="${name}">`)
    for (const message of Object.keys(messages)) t.match(page.body, `<details id="${name}-${message}">`)
  }
  for (const field of ['data.amountString', 'replay.seq?', 'event_name', 'data.trackingId'])
    t.match(page.body, field.replace('replay.seq?', 'replay.seq'))
})
