import { once } from 'node:events'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openStream } from './open-stream.js'
import { collectErrors, collectPayments, openRaw, subscribe, trySubscribe, usePods } from './use-pods.js'

const LEASE_MS = 1_500
/** `CHAOS=long` lets the promised number of subscribers race. */
const [SEATS, RACERS] = process.env.CHAOS === 'long' ? [100, 3_000] : [20, 60]

t.test(`three pods admit exactly ${SEATS} of ${RACERS} racers; freed seats come back`, async t => {
  const pods = await usePods(t, { MAX_CONNECTIONS_PER_TRACKING_ID: String(SEATS) })
  const three = await Promise.all([pods.start(), pods.start(), pods.start()])
  const clients = Array.from({ length: RACERS }, (_, n) => three[n % 3]!.connect())
  await waitFor(() => clients.every(({ connected }) => connected), {
    what: 'all there',
    timeoutMs: 60_000,
  })
  const received = clients.map(collectPayments)
  const startedAtMs = performance.now()
  const replies = await Promise.all(clients.map(client => trySubscribe(client, { trackingId: 'order' })))
  t.comment(`${RACERS} answers in ${Math.round(performance.now() - startedAtMs)} ms`)
  t.equal(replies.filter(({ ok }) => ok).length, SEATS)
  for (const reply of replies)
    t.ok(reply.ok || reply.code === 'TOO_MANY_CONNECTIONS', 'the others are told why')
  for (const { connected } of clients) t.ok(connected, 'a refused socket stays connected')
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => clients.every((_, n) => !replies[n]!.ok || received[n]!.length === 1))
  t.equal(received.flat().length, SEATS, 'only they are sent to')

  const admitted = clients.filter((_, n) => replies[n]!.ok)
  const refused = clients.filter((_, n) => !replies[n]!.ok)
  t.match(await trySubscribe(admitted[0]!, { trackingId: 'order' }), { ok: true }, 'asking again is free')
  admitted[1]!.disconnect()
  await admitted[2]!.emitWithAck('unsubscribe', { trackingId: 'order' })
  await waitFor(async () => (await trySubscribe(refused[0]!, { trackingId: 'order' })).ok)
  await waitFor(async () => (await trySubscribe(refused[1]!, { trackingId: 'order' })).ok)
  t.match(await trySubscribe(refused[2]!, { trackingId: 'order' }), { code: 'TOO_MANY_CONNECTIONS' })
})

t.test('a client in a full room gets its own seat back by resume, on another pod', async t => {
  const pods = await usePods(t, { MAX_CONNECTIONS_PER_TRACKING_ID: '2' })
  const [one, two] = await Promise.all([pods.start(), pods.start()])
  const [client, neighbour] = [one.connect({ reconnection: false }), two.connect()]
  const left = collectPayments(client)
  const errors = collectErrors(client)
  const { resume } = await subscribe(client, { trackingId: 'order' })
  await subscribe(neighbour, { trackingId: 'order' })
  const again = two.connect()
  const received = collectPayments(again)
  t.match(await trySubscribe(again, { trackingId: 'order' }), { code: 'TOO_MANY_CONNECTIONS' })
  const guessed = await trySubscribe(again, { trackingId: 'order', resume: 'guess' })
  t.match(guessed, { code: 'TOO_MANY_CONNECTIONS' })
  await subscribe(again, { trackingId: 'order', resume })
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => received.length === 1)
  t.equal(left.length, 0, 'the old connection is no longer sent to')
  t.match(errors, [{ data: { code: 'TOO_MANY_CONNECTIONS', trackingId: 'order' } }])
})

t.test('seats of a killed pod come back; a paused pod sends nothing once others sit there', async t => {
  const pods = await usePods(t, {
    MAX_CONNECTIONS_PER_TRACKING_ID: '5',
    'realtime.leaseMs': String(LEASE_MS),
    'realtime.healEveryMs': '500',
  })
  const [paused, living] = await Promise.all([pods.start(), pods.start()])
  const frozen = Array.from({ length: 5 }, () => paused.connect())
  const frozenGot = frozen.map(collectPayments)
  const frozenErrors = frozen.map(collectErrors)
  for (const client of frozen) await subscribe(client, { trackingId: 'order' })
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => frozenGot.every(list => list.length === 1))

  paused.service.signal('SIGSTOP')
  const others = Array.from({ length: 5 }, () => living.connect())
  const othersGot = others.map(collectPayments)
  await Promise.all(
    others.map(client =>
      waitFor(async () => (await trySubscribe(client, { trackingId: 'order' })).ok, { what: 'a freed seat' }),
    ),
  )
  await pods.pay({ trackingId: 'order', count: 3 })
  await waitFor(() => othersGot.every(list => list.length === 3))
  paused.service.signal('SIGCONT')
  await waitFor(() => frozenErrors.every(list => list.length > 0), { what: 'every old client is told' })
  for (const [error] of frozenErrors) t.match(error, { data: { code: 'TOO_MANY_CONNECTIONS' } })
  for (const list of frozenGot) t.equal(list.length, 1, 'nothing was sent after the seats went to others')

  await living.service.stop('SIGKILL')
  await Promise.all(
    frozen.map(client =>
      waitFor(async () => (await trySubscribe(client, { trackingId: 'order' })).ok, { what: 'a free seat' }),
    ),
  )
})

t.test('a connection whose peer falls silent is ended by the ping, and its seat is free', async t => {
  const pods = await usePods(t, {
    MAX_CONNECTIONS_PER_TRACKING_ID: '1',
    // Twice this number may be open before they join.
    MAX_CONNECTIONS_PER_ADDRESS: '2',
    'realtime.pingEveryMs': '300',
    'realtime.pingTimeoutMs': '400',
    // Longer than this test waits: a seat that only the end of its lease gave back would not come.
    'realtime.leaseMs': '600000',
  })
  const pod = await pods.start()
  // The peer's system still acknowledges packets, as a proxy would, so the pod gets no sign that the program is gone.
  const silent = await openRaw(t, pod.url)
  silent.send('40')
  silent.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text.startsWith('40')) silent.send('42["subscribe",{"trackingId":"order"}]')
    if (text.includes('Subscribed')) silent.pause()
  })
  await waitFor(() => silent.isPaused)
  const newcomer = pod.connect()
  await waitFor(async () => (await trySubscribe(newcomer, { trackingId: 'order' })).ok, { what: 'its seat' })
  const metrics = await pod.service.metrics()
  t.match(metrics, 'payment_tracking_realtime_disconnects_total{reason="ping timeout"} 1')
  t.match(metrics, 'payment_tracking_realtime_subscriptions 1')
  for (let n = 0; n < 3; n++) await openRaw(t, pod.url)
  t.pass('its place among the connections of its address is free as well')
})

t.test('behind a proxy', async t => {
  const pods = await usePods(t, {
    TRUST_PROXY: 'on',
    MAX_CONNECTIONS_PER_TRACKING_ID: '20',
    MAX_CONNECTIONS_PER_ADDRESS: '4',
    MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '2',
  })
  const two = await Promise.all([pods.start(), pods.start()])
  const from = (address: string, n = 0) =>
    two[n % 2]!.connect({ reconnection: false, extraHeaders: { 'x-forwarded-for': address } })
  const askFrom = (address: string, trackingId: string, n = 0) =>
    trySubscribe(from(address, n), { trackingId })

  t.test('one address cannot fill a tracking ID, nor open any number of connections', async t => {
    // Addresses of one /64 in several spellings; entries before the proxy's entry do not count.
    const stranger = ['2001:db8::1', '2001:0db8:0:0:1::', '9.9.9.9, 2001:db8::ffff', '2001:db8:0:0:a:b:c:d']
    const clients = stranger.map((address, n) => from(address, n))
    const replies = await Promise.all(clients.map(client => trySubscribe(client, { trackingId: 'one' })))
    t.equal(replies.filter(({ ok }) => ok).length, 2)
    t.match(await askFrom('2001:db8:0:1::1', 'one'), { ok: true })

    const fifth = from('2001:db8::7')
    const [error] = (await once(fifth as never, 'connect_error')) as [unknown]
    t.match(error, { message: 'TOO_MANY_CONNECTIONS', data: { code: 'TOO_MANY_CONNECTIONS' } })
    clients[0]!.disconnect()
    await waitFor(async () => {
      const client = from('2001:db8::8')
      return Promise.race([
        once(client as never, 'connect').then(() => true),
        once(client as never, 'connect_error').then(() => false),
      ])
    })
  })

  t.test('an IPv6 network of sixteen addresses cannot fill one, and a page is told to ask', async t => {
    const replies = []
    for (let n = 0; n < 8; n++) replies.push(await askFrom(`2001:db9:0:${n.toString(16)}::1`, 'network'))
    t.equal(replies.filter(({ ok }) => ok).length, 4, 'a /56 has twice the seats of an address')
    t.match(replies.at(-1), { code: 'TOO_MANY_CONNECTIONS', message: /ask GET \/v1\/payments\/check/ })
    for (let n = 1; n < 8; n++) replies.push(await askFrom(`2001:db9:0:${n.toString(16)}00::1`, 'network'))
    t.equal(replies.filter(({ ok }) => ok).length, 8, 'a /48 has four times the seats')
    t.match(await askFrom('2001:db9:1::1', 'network'), { ok: true }, 'another network goes on')
    // 15 connections of this /48 are open, and it may have 16.
    await once(from('2001:db9:0:aa00::1') as never, 'connect')
    await once(from('2001:db9:0:ab00::1') as never, 'connect_error')
  })

  t.test('an address has its share of streams and sockets together', async t => {
    const openFrom = async (address: string, trackingId: string, n = 0) => {
      const headers = { 'x-forwarded-for': address }
      return (await openStream(t, two[n % 2]!.url, { trackingId }, { headers })).response.status
    }
    t.match(await askFrom('192.0.2.1', 'order'), { ok: true })
    t.equal(await openFrom('192.0.2.1', 'order', 1), 200)
    t.equal(await openFrom('192.0.2.1', 'order'), 429, 'two of a tracking ID')
    t.equal(await openFrom('192.0.2.2', 'order'), 200, 'another address')
    t.equal(await openFrom('192.0.2.1', 'other'), 200)
    t.equal(await openFrom('192.0.2.1', 'third', 1), 200)
    t.equal(await openFrom('192.0.2.1', 'fourth', 1), 429, 'four of an address')
  })
})

t.test('without TRUST_PROXY x-forwarded-for is the client talking', async t => {
  const pods = await usePods(t, { MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '2' })
  const pod = await pods.start()
  const replies = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      trySubscribe(pod.connect({ extraHeaders: { 'x-forwarded-for': `10.0.0.${n}` } }), {
        trackingId: 'order',
      }),
    ),
  )
  t.equal(replies.filter(({ ok }) => ok).length, 2)
})

t.test('after a flush of Redis only renewals are admitted for one lease time; payments go on', async t => {
  const pods = await usePods(t, { 'realtime.leaseMs': '3000', MAX_CONNECTIONS_PER_TRACKING_ID: '3' })
  const pod = await pods.start()
  const order = { trackingId: 'order' }
  const client = pod.connect()
  const received = collectPayments(client)
  await subscribe(client, order)
  const stream = await openStream(t, pod.url, { trackingId: 'streamed' })
  await pods.redis.client.flushdb()
  const newcomer = pod.connect()
  const [refused, { response }] = await Promise.all([
    trySubscribe(newcomer, order),
    openStream(t, pod.url, { trackingId: 'streamed' }),
  ])
  t.match(refused, { ok: false, code: 'UNAVAILABLE' })
  t.equal(response.status, 503)
  t.ok(response.headers.has('retry-after'))
  t.match(await response.json(), { code: 'UNAVAILABLE' })
  await pods.pay(order)
  await pods.pay({ trackingId: 'streamed' })
  await waitFor(() => received.length === 1)
  await stream.waitForSeq(1)
  await waitFor(async () => (await openStream(t, pod.url, { trackingId: 'streamed' })).response.ok)
  await waitFor(async () => (await trySubscribe(newcomer, order)).ok)
  t.match(await trySubscribe(pod.connect(), order), { ok: true })
  t.match(await trySubscribe(pod.connect(), order), { code: 'TOO_MANY_CONNECTIONS' })
})
