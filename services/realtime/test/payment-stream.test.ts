import { once } from 'node:events'
import { connect } from 'node:net'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openStream } from './open-stream.js'
import { collectPayments, epochOf, subscribe, trySubscribe, usePods } from './use-pods.js'
import { committedPaymentsOf, fakeBase58 } from './write-payments.js'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

t.test('a stream has what a socket gets, byte for byte, and an id for each event', async t => {
  const pods = await usePods(t, { 'realtime.keepAliveEveryMs': '100' })
  const pod = await pods.start()
  await pods.pay({ trackingId: 'order' })
  const client = pod.connect()
  const received = collectPayments(client)
  const retracted: unknown[] = []
  client.on('retraction', message => retracted.push(message))
  await subscribe(client, { trackingId: 'order' })
  const stream = await openStream(t, pod.url, { trackingId: 'order' })
  const { headers } = stream.response
  t.equal(headers.get('content-type'), 'text/event-stream')
  t.equal(headers.get('x-accel-buffering'), 'no')
  t.match(headers.get('cache-control'), 'no-cache')
  t.equal(headers.get('access-control-allow-origin'), '*')
  const epoch = await epochOf(pods.database)
  await waitFor(() => stream.lastEventId !== '')
  t.equal(stream.lastEventId, `${epoch}.1`, 'a connection that is cut before its first event misses nothing')

  await pods.pay({ trackingId: 'order', count: 2 })
  await waitFor(() => received.length === 2)
  await stream.waitForSeq(3)
  t.strictSame(
    stream.events,
    received.map(data => ({ event: 'payment', id: `${epoch}.${data.data.seq}`, data })),
  )
  await pods.announce({ payments: [], retractions: await committedPaymentsOf(pods.store, 'order', [2]) })
  await waitFor(() => stream.events.length === 3 && retracted.length === 1)
  t.strictSame(stream.events[2], { event: 'retraction', id: `${epoch}.3`, data: retracted[0] })
  await waitFor(() => stream.comments > 1, { what: 'comments that keep the connection alive' })
})

t.test('a cut connection goes on without a hole and without a double, also on another pod', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const [one, two] = await Promise.all([pods.start(), pods.start()])
  const first = await openStream(t, one.url, { trackingId: 'order' })
  await pods.pay({ trackingId: 'order', count: 3 })
  await first.waitForSeq(3)
  await one.service.stop('SIGKILL')
  await waitFor(() => first.ended)
  await pods.pay({ trackingId: 'order', count: 250 })
  let isPaying = true
  const payer = (async () => {
    while (isPaying) await pods.pay({ trackingId: 'order' })
  })()
  const seqs = first.seqs()
  let { lastEventId } = first
  for (const many of [100, 300, 320]) {
    const stream = await openStream(t, two.url, { trackingId: 'order' }, { lastEventId })
    await waitFor(() => seqs.length + stream.events.length >= many)
    stream.cut()
    await waitFor(() => stream.ended)
    seqs.push(...stream.seqs())
    lastEventId = stream.lastEventId
  }
  isPaying = false
  await payer
  t.strictSame(seqs, upTo(seqs.length))
})

t.test(
  'payments leave in the order of their seq, so that the last id is all that a client needs',
  async t => {
    const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
    const pod = await pods.start()
    const recipient = '11111111111111111111111111111112'
    const all = await openStream(t, pod.url, { trackingId: 'order' })
    const mine = await openStream(t, pod.url, {
      trackingId: 'order',
      recipient: '11111111111111111111111111111112',
    })
    await pods.commit({ trackingId: 'order', count: 5, recipient })
    await pods.commit({ trackingId: 'order', count: 2, recipient: fakeBase58('another') })
    await pods.commit({ trackingId: 'order', recipient })
    await pods.announce({ payments: await committedPaymentsOf(pods.store, 'order', [8, 4, 1, 5]) })
    await all.waitForSeq(8)
    t.strictSame(all.seqs(), upTo(8))
    await mine.waitForSeq(8)
    t.strictSame(mine.seqs(), [1, 2, 3, 4, 5, 8], 'only payments to the recipient')
  },
)

t.test('an id of another database resets the client, and all payments follow', async t => {
  const pods = await usePods(t)
  const pod = await pods.start()
  await pods.pay({ trackingId: 'order', count: 3 })
  const epoch = await epochOf(pods.database)
  for (const lastEventId of ['another.2', 'rubbish', `${epoch}.4`]) {
    const stream = await openStream(t, pod.url, { trackingId: 'order' }, { lastEventId })
    await stream.waitForSeq(3)
    t.strictSame(
      stream.events.map(({ event, id }) => `${event} ${id}`),
      [`reset ${epoch}.0`, ...upTo(3).map(seq => `payment ${epoch}.${seq}`)],
      lastEventId,
    )
    t.match(stream.events[0]!.data, { type: 'reset', data: { epoch, head: 3, trackingId: 'order' } })
  }
  const stream = await openStream(t, pod.url, { trackingId: 'order', since: '1' })
  await stream.waitForSeq(3)
  t.strictSame(stream.seqs(), [2, 3], 'a page says where it begins')
})

t.test('the seats of a tracking ID are exact over both transports', async t => {
  const pods = await usePods(t, { MAX_CONNECTIONS_PER_TRACKING_ID: '20' })
  const two = await Promise.all([pods.start(), pods.start()])
  const clients = Array.from({ length: 30 }, (_, n) => two[n % 2]!.connect())
  await waitFor(() => clients.every(({ connected }) => connected))
  const first = await Promise.all(upTo(5).map(n => openStream(t, two[n % 2]!.url, { trackingId: 'order' })))
  const [replies, racing] = await Promise.all([
    Promise.all(clients.map(client => trySubscribe(client, { trackingId: 'order' }))),
    Promise.all(clients.map((_, n) => openStream(t, two[n % 2]!.url, { trackingId: 'order' }))),
  ])
  const streams = [...first, ...racing]
  const [sockets, seated] = [replies.filter(({ ok }) => ok), streams.filter(({ response }) => response.ok)]
  t.equal(sockets.length + seated.length, 20)
  t.ok(sockets.length > 0 && seated.length > 0, 'of both kinds')
  const refused = streams.find(({ response }) => !response.ok)!.response
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after'), /^\d+$/)
  t.match(await refused.json(), { success: false, code: 'TOO_MANY_CONNECTIONS', requestId: String })
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => seated.every(stream => stream.seqs().length === 1))

  seated[0]!.cut()
  const newcomer = clients.find((_, n) => !replies[n]!.ok)!
  await waitFor(async () => (await trySubscribe(newcomer, { trackingId: 'order' })).ok, { what: 'its seat' })
  t.equal((await openStream(t, two[0].url, { trackingId: 'order' })).response.status, 429)
  newcomer.disconnect()
  await waitFor(async () => (await openStream(t, two[0].url, { trackingId: 'order' })).response.ok)
})

t.test('an address has its share of streams and sockets together', async t => {
  const pods = await usePods(t, {
    TRUST_PROXY: 'on',
    MAX_CONNECTIONS_PER_ADDRESS: '3',
    MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '2',
  })
  const [one, two] = await Promise.all([pods.start(), pods.start()])
  const open = async (pod: typeof one, address: string, trackingId: string) => {
    const headers = { 'x-forwarded-for': address }
    return (await openStream(t, pod.url, { trackingId }, { headers })).response.status
  }
  const client = one.connect({ extraHeaders: { 'x-forwarded-for': '192.0.2.1' } })
  await subscribe(client, { trackingId: 'order' })
  t.equal(await open(two, '192.0.2.1', 'order'), 200)
  t.equal(await open(one, '192.0.2.1', 'order'), 429, 'two of a tracking ID')
  t.equal(await open(one, '192.0.2.2', 'order'), 200, 'another address')
  t.equal(await open(one, '192.0.2.1', 'other'), 200)
  t.equal(await open(two, '192.0.2.1', 'third'), 429, 'three of an address')
})

t.test('what is no stream is refused in the shape of all errors', async t => {
  const pods = await usePods(t, { CORS_ORIGIN: 'https://shop.example' })
  const pod = await pods.start()
  const ask = async (query: string, init: RequestInit = {}) => {
    const response = await fetch(`${pod.url}/v1/payments/stream${query}`, init)
    const { code = '', error = '' } = JSON.parse((await response.text()) || '{}') as Record<string, string>
    return `${response.status} ${code} ${/trackingId|recipient|since|misspelt/.exec(error)?.[0] ?? ''}`.trim()
  }
  t.equal(await ask(''), '400 INVALID_PARAMETER trackingId')
  t.equal(await ask('?trackingId='), '400 INVALID_PARAMETER trackingId')
  t.equal(await ask(`?trackingId=${'x'.repeat(65)}`), '400 INVALID_PARAMETER trackingId')
  t.equal(await ask('?trackingId=a&trackingId=b'), '400 INVALID_PARAMETER trackingId')
  t.equal(await ask('?trackingId=a&recipient=b'), '400 INVALID_PARAMETER recipient')
  t.equal(await ask('?trackingId=a&since=-1'), '400 INVALID_PARAMETER since')
  t.equal(await ask('?trackingId=a&misspelt=1'), '400 INVALID_PARAMETER misspelt')
  t.equal(await ask('?trackingId=a', { method: 'POST' }), '405 METHOD_NOT_ALLOWED')
  t.equal(await ask('/x?trackingId=a'), '404 NOT_FOUND')
  t.equal(await ask('?trackingId=a', { headers: { origin: 'https://evil.example' } }), '403 FORBIDDEN')
  const preflight = await fetch(`${pod.url}/v1/payments/stream?trackingId=a`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-headers': 'last-event-id' },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example')
  t.equal(preflight.headers.get('access-control-allow-headers'), 'last-event-id')
})

t.test('while seats cannot be known, a stream is told to come back', async t => {
  const pods = await usePods(t, { 'realtime.leaseMs': '3000' })
  const pod = await pods.start()
  const before = await openStream(t, pod.url, { trackingId: 'order' })
  await pods.redis.client.flushdb()
  const { response } = await openStream(t, pod.url, { trackingId: 'order' })
  t.equal(response.status, 503)
  t.ok(response.headers.has('retry-after'))
  t.match(await response.json(), { code: 'UNAVAILABLE' })
  await pods.pay({ trackingId: 'order' })
  await before.waitForSeq(1)
  await waitFor(async () => (await openStream(t, pod.url, { trackingId: 'order' })).response.ok)
})

/** Larger than any real payment, so that a few fill the system's buffers between two processes. */
const bigPayment = (seq: number): CommittedPayment =>
  makeCommittedPayment(fakeBase58('gateway'), {
    position: String(seq),
    trackingId: 'order',
    seq,
    signature: 'x'.repeat(16_000),
    paymentPolicy: fakeBase58('policy'),
  })

t.test('a client that does not read is cut, and its seat is free', async t => {
  const pods = await usePods(t, {
    'realtime.queuedPackets': '64',
    'realtime.healEveryMs': '3600000',
    MAX_CONNECTIONS_PER_TRACKING_ID: '2',
  })
  const pod = await pods.start()
  const healthy = pod.connect()
  const received = collectPayments(healthy)
  await subscribe(healthy, { trackingId: 'order' })
  const stalled = connect(Number(new URL(pod.url).port), '127.0.0.1')
  t.teardown(() => stalled.destroy())
  stalled.write('GET /v1/payments/stream?trackingId=order HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(stalled, 'data')
  stalled.pause()
  const newcomer = pod.connect()
  t.match(await trySubscribe(newcomer, { trackingId: 'order' }), { code: 'TOO_MANY_CONNECTIONS' })
  let seq = 0
  await waitFor(
    async () => {
      await pods.announce({ payments: Array.from({ length: 50 }, () => bigPayment(++seq)) })
      await waitFor(() => received.length === seq, { what: 'the healthy client' })
      return (await trySubscribe(newcomer, { trackingId: 'order' })).ok
    },
    { what: 'its seat', timeoutMs: 60_000, intervalMs: 1 },
  )
  const metrics = await (await fetch(`${pod.service.managementUrl}/metrics`)).text()
  t.match(metrics, 'payment_tracking_realtime_closes_total{reason="SLOW_CONSUMER"} 1')
})

t.test('a pod that stops ends its streams, and each goes on elsewhere', async t => {
  const pods = await usePods(t)
  const [leaving, staying] = await Promise.all([pods.start(), pods.start()])
  const streams = await Promise.all(upTo(5).map(() => openStream(t, leaving.url, { trackingId: 'order' })))
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => streams.every(stream => stream.seqs().length === 1))
  t.equal(await leaving.service.stop('SIGTERM'), 0)
  await waitFor(() => streams.every(({ ended }) => ended))
  await pods.pay({ trackingId: 'order' })
  for (const { lastEventId } of streams) {
    const again = await openStream(t, staying.url, { trackingId: 'order' }, { lastEventId })
    await again.waitForSeq(2)
    t.strictSame(again.seqs(), [2])
  }
})
