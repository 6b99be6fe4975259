import { once } from 'node:events'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import {
  collectErrors,
  collectPayments,
  openRaw,
  subscribe,
  trySubscribe,
  usePods,
  type Client,
} from './use-pods.js'
import { fakeBase58 } from './write-payments.js'

t.test('the protocol, refusals included', async t => {
  const pods = await usePods(t, {
    MAX_SUBSCRIPTIONS_PER_CONNECTION: '3',
    'realtime.messageBurst': '40',
    'realtime.messagesPerSecond': '1',
  })
  const pod = await pods.start()

  t.test('bad requests are refused with a code, and the socket stays connected', async t => {
    const client = pod.connect()
    const errors = collectErrors(client)
    const bad: [unknown, string][] = [
      [undefined, 'INVALID_TRACKING_ID'],
      ['order', 'INVALID_TRACKING_ID'],
      [{}, 'INVALID_TRACKING_ID'],
      [{ trackingId: '' }, 'INVALID_TRACKING_ID'],
      [{ trackingId: 7 }, 'INVALID_TRACKING_ID'],
      [{ trackingId: 'a\0b' }, 'INVALID_TRACKING_ID'],
      [{ trackingId: '€'.repeat(22) }, 'INVALID_TRACKING_ID'],
      [{ trackingId: '\ud800' }, 'INVALID_TRACKING_ID'],
      [{ trackingId: 'x', since: -1 }, 'INVALID_REQUEST'],
      [{ trackingId: 'x', since: 1.5 }, 'INVALID_REQUEST'],
      [{ trackingId: 'x', since: '0' }, 'INVALID_REQUEST'],
      [{ trackingId: 'x', recipient: 'me' }, 'INVALID_REQUEST'],
      [{ trackingId: 'x', epoch: 5 }, 'INVALID_REQUEST'],
      [{ trackingId: 'x', resume: 'x'.repeat(300) }, 'INVALID_REQUEST'],
    ]
    for (const [request, code] of bad) t.match(await trySubscribe(client, request), { ok: false, code })
    const codesOfErrors = errors.map(({ data }) => data.code)
    t.same(
      codesOfErrors,
      bad.map(([, code]) => code),
    )
    t.match(errors[0], { type: 'error', timestamp: Number, data: { message: String } })
    t.match(await subscribe(client, { trackingId: '€'.repeat(21), since: null, recipient: null }), {
      head: 0,
    })
    t.ok(client.connected)
  })

  t.test('several tracking IDs on one connection, up to the cap; unsubscribing makes room', async t => {
    const client = pod.connect()
    const received = collectPayments(client)
    for (const trackingId of ['a', 'b', 'c', 'c']) await subscribe(client, { trackingId })
    t.match(await trySubscribe(client, { trackingId: 'd' }), { ok: false, code: 'TOO_MANY_SUBSCRIPTIONS' })
    t.match(await client.emitWithAck('unsubscribe', { trackingId: 'a' }), { ok: true })
    t.match(await client.emitWithAck('unsubscribe', { trackingId: 'never' }), { ok: true })
    t.match(await client.emitWithAck('unsubscribe', {}), { ok: false, code: 'INVALID_TRACKING_ID' })
    await subscribe(client, { trackingId: 'd' })
    for (const trackingId of ['a', 'b', 'c', 'd']) await pods.pay({ trackingId })
    await waitFor(() => received.length >= 3)
    t.same(received.map(({ data }) => data.trackingId).sort(), ['b', 'c', 'd'])
  })

  t.test('the last of several requests about one tracking ID decides', async t => {
    const client = pod.connect()
    const received = collectPayments(client)
    client.emit('subscribe', { trackingId: 'flicker' })
    client.emit('unsubscribe', { trackingId: 'flicker' })
    client.emit('subscribe', { trackingId: 'flicker' })
    await client.emitWithAck('unsubscribe', { trackingId: 'flicker' })
    await pods.pay({ trackingId: 'flicker' })
    t.match(await subscribe(client, { trackingId: 'flicker' }), { head: 1 })
    t.equal(received.length, 0)
  })

  t.test('a recipient filters pushed and replayed payments', async t => {
    const client = pod.connect()
    const received = collectPayments(client)
    const mine = fakeBase58('mine')
    await pods.commit({ trackingId: 'filter', count: 130, recipient: fakeBase58('other') })
    await pods.commit({ trackingId: 'filter', recipient: mine })
    const reply = await subscribe(client, { trackingId: 'filter', since: 0, recipient: mine })
    const seqs = reply.replay.map(({ seq }) => seq)
    t.same(seqs, [131], 'pages of others are skipped')
    t.match(reply, { more: false, next: 131, head: 131 })
    await pods.pay({ trackingId: 'filter', recipient: fakeBase58('other') })
    await pods.pay({ trackingId: 'filter', recipient: null })
    await pods.pay({ trackingId: 'filter', recipient: mine })
    await waitFor(() => received.length > 0)
    const foundSeqs = received.map(({ data }) => data.seq)
    t.same(foundSeqs, [134])
  })

  t.test('too many messages: refused, then closed with a reason', async t => {
    const client = pod.connect({ reconnection: false })
    await once(client as never, 'connect')
    const errors = collectErrors(client)
    const closed = new Promise<unknown>(resolve => client.on('disconnect', (_, details) => resolve(details)))
    t.match(await Promise.all(Array.from({ length: 42 }, () => trySubscribe(client, {}))), {
      41: { ok: false, code: 'RATE_LIMITED' },
    })
    t.equal(errors.filter(({ data }) => data.code === 'RATE_LIMITED').length, 1, 'one event for a flood')
    for (let n = 0; n < 60; n++) (client as unknown as { emit(name: string): void }).emit('noise')
    t.match(await closed, { context: { code: 4029, reason: 'RATE_LIMITED' } })
  })

  t.test('a message above 16 KB closes the connection with 1009', async t => {
    const client = pod.connect({ reconnection: false })
    await once(client as never, 'connect')
    const closed = new Promise<unknown>(resolve => client.on('disconnect', (_, details) => resolve(details)))
    client.emit('subscribe', { trackingId: 'x', padding: 'x'.repeat(17_000) })
    t.match(await closed, { context: { code: 1009 } })
  })

  t.test('a protocol violation ends only its own connection', async t => {
    const witness = pod.connect()
    await subscribe(witness, { trackingId: 'witness' })
    const raw = await openRaw(t, pod.url)
    raw.send('40')
    raw.send('42["subscribe"')
    await once(raw, 'close')
    t.ok(witness.connected)
  })

  t.test('one connection joins once, and packets of any kind are counted', async t => {
    const floods = {
      'joins at once': ['40', '40'],
      'joins in another spelling': ['40', '40/,{}'],
      'answers what nobody asked': Array<string>(400).fill('3'),
    }
    for (const [what, packets] of Object.entries(floods)) {
      const raw = await openRaw(t, pod.url)
      for (const packet of packets) raw.send(packet)
      const [code, reason] = (await once(raw, 'close')) as [number, Buffer]
      t.same([code, reason.toString()], [4029, 'RATE_LIMITED'], what)
    }
    for (const packets of [['40'], ['41', '40']]) {
      const joined = await openRaw(t, pod.url)
      joined.on('message', (data: Buffer) => {
        if (data.toString().startsWith('40')) for (const packet of packets) joined.send(packet)
      })
      joined.send('40')
      t.match(await once(joined, 'close'), [4029], `has joined, and sends ${packets.join(', ')}`)
    }
  })
})

t.test('origins can be limited, and what is no stream is refused in the shape of all errors', async t => {
  const pods = await usePods(t, { CORS_ORIGIN: 'https://Shop.example:443/, https://other.example' })
  const pod = await pods.start()
  const from = (origin: string | undefined): Client =>
    pod.connect({ reconnection: false, ...(origin && { extraHeaders: { origin } }) })
  await once(from('https://shop.example') as never, 'connect')
  await once(from(undefined) as never, 'connect')
  await once(from('https://evil.example') as never, 'connect_error')
  const path = `${pod.url}/v1/payments/stream`
  for (const [query, refusal, init] of [
    ['', '400 INVALID_PARAMETER trackingId'],
    ['?trackingId=', '400 INVALID_PARAMETER trackingId'],
    [`?trackingId=${'x'.repeat(65)}`, '400 INVALID_PARAMETER trackingId'],
    ['?trackingId=a&trackingId=b', '400 INVALID_PARAMETER trackingId'],
    ['?trackingId=a&recipient=b', '400 INVALID_PARAMETER recipient'],
    ['?trackingId=a&since=-1', '400 INVALID_PARAMETER since'],
    ['?trackingId=a&lastEventId=e.1&lastEventId=e.2', '400 INVALID_PARAMETER lastEventId'],
    ['?trackingId=a&misspelt=1', '400 INVALID_PARAMETER misspelt'],
    ['?trackingId=a', '405 METHOD_NOT_ALLOWED', { method: 'POST' }],
    ['/x?trackingId=a', '404 NOT_FOUND'],
    ['?trackingId=a', '403 FORBIDDEN', { headers: { origin: 'https://evil.example' } }],
  ] as [string, string, RequestInit?][]) {
    const response = await fetch(path + query, init)
    const { code, error } = (await response.json()) as { code: string; error: string }
    const parameter = /trackingId|recipient|since|lastEventId|misspelt/.exec(error)?.[0] ?? ''
    t.equal(`${response.status} ${code} ${parameter}`.trim(), refusal, query)
  }
  const preflight = await fetch(`${path}?trackingId=a`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-headers': 'last-event-id' },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example')
  t.equal(preflight.headers.get('access-control-allow-headers'), 'last-event-id')
})
