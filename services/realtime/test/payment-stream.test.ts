// Payments over `GET /v1/payments/stream`, from pods that all tests share. How streams are limited and refused: seats.long.test.ts,
// slow-consumer.test.ts and protocol.test.ts.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openStream } from './open-stream.js'
import { collectPayments, epochOf, subscribe, trySubscribe, usePods } from './use-pods.js'
import { committedPaymentsOf, fakeBase58 } from './write-payments.js'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

// No healing: what is sent was announced, or read.
const pods = await usePods(t, {
  'realtime.keepAliveEveryMs': '100',
  'realtime.healEveryMs': '3600000',
  MAX_CONNECTIONS_PER_TRACKING_ID: '20',
})
const [one, two] = await Promise.all([pods.start(), pods.start()])
const epoch = await epochOf(pods.database)

t.test('a stream has what a socket gets, byte for byte, and an id for each event', async t => {
  const order = { trackingId: 'both' }
  await pods.pay(order)
  const client = one.connect()
  const received = collectPayments(client)
  const retracted: unknown[] = []
  client.on('retraction', message => retracted.push(message))
  await subscribe(client, order)
  const stream = await openStream(t, one.url, order)
  const { headers } = stream.response
  t.equal(headers.get('content-type'), 'text/event-stream')
  t.equal(headers.get('x-accel-buffering'), 'no')
  t.match(headers.get('cache-control'), 'no-cache')
  t.equal(headers.get('access-control-allow-origin'), '*')
  await waitFor(() => stream.lastEventId !== '')
  t.equal(stream.lastEventId, `${epoch}.1`, 'a connection that is cut before its first event misses nothing')

  await pods.pay({ ...order, count: 2 })
  await waitFor(() => received.length === 2)
  await stream.waitForSeq(3)
  const streamed = stream.events
  t.strictSame(
    streamed,
    received.map(data => ({ event: 'payment', id: `${epoch}.${data.data.seq}`, data })),
  )
  await pods.announce({ payments: [], retractions: await committedPaymentsOf(pods.store, 'both', [2]) })
  await waitFor(() => stream.events.length === 3 && retracted.length === 1)
  t.strictSame(stream.events[2], { event: 'retraction', id: `${epoch}.3`, data: retracted[0] })
  await waitFor(() => stream.comments > 1, { what: 'comments that keep the connection alive' })
})

t.test('payments leave in the order of their seq: the last id is all that a client needs', async t => {
  const order = { trackingId: 'in-order' }
  const recipient = '11111111111111111111111111111112'
  const all = await openStream(t, one.url, order)
  const mine = await openStream(t, one.url, { ...order, recipient })
  await pods.commit({ ...order, count: 5, recipient })
  await pods.commit({ ...order, count: 2, recipient: fakeBase58('another') })
  await pods.commit({ ...order, recipient })
  await pods.announce({ payments: await committedPaymentsOf(pods.store, 'in-order', [8, 4, 1, 5]) })
  await all.waitForSeq(8)
  t.strictSame(all.seqs(), upTo(8))
  await mine.waitForSeq(8)
  t.strictSame(mine.seqs(), [1, 2, 3, 4, 5, 8], 'only payments to the recipient')
})

t.test('an id of another database resets the client, and all payments follow', async t => {
  const order = { trackingId: 'reset' }
  await pods.pay({ ...order, count: 3 })
  for (const lastEventId of ['another.2', 'rubbish', `${epoch}.4`]) {
    const stream = await openStream(t, one.url, order, { lastEventId })
    await stream.waitForSeq(3)
    const found = stream.events.map(({ event, id }) => `${event} ${id}`)
    t.strictSame(found, [`reset ${epoch}.0`, ...upTo(3).map(seq => `payment ${epoch}.${seq}`)], lastEventId)
    t.match(stream.events[0]!.data, { type: 'reset', data: { epoch, head: 3, ...order } })
  }
  const stream = await openStream(t, one.url, { ...order, since: '1' })
  await stream.waitForSeq(3)
  t.strictSame(stream.seqs(), [2, 3], 'a page says where it begins')
})

t.test('a polyfill of EventSource, which sends its id as a parameter, was refused', async t => {
  const order = { trackingId: 'polyfill' }
  await pods.pay({ ...order, count: 3 })
  for (const [what, query, lastEventId, seqs] of [
    ['goes on', { lastEventId: `${epoch}.2` }, undefined, ['payment 3']],
    ['knows more than the page', { since: '0', lastEventId: `${epoch}.2` }, undefined, ['payment 3']],
    ['a header is newer', { lastEventId: `${epoch}.1` }, `${epoch}.2`, ['payment 3']],
    [
      'another database',
      { lastEventId: 'another.2' },
      undefined,
      ['reset 0', ...upTo(3).map(n => `payment ${n}`)],
    ],
    ['no event yet', { since: '2', lastEventId: '' }, '', ['payment 3']],
  ] as [string, Record<string, string>, string | undefined, string[]][]) {
    const stream = await openStream(t, one.url, { ...order, ...query }, { lastEventId })
    await stream.waitForSeq(3)
    const shown = stream.events.map(({ event, id }) => `${event} ${id.split('.').at(-1)}`)
    t.strictSame(shown, seqs, what)
    stream.cut()
  }
})

t.test('the seats of a tracking ID are exact over both transports', async t => {
  const order = { trackingId: 'full' }
  const urlOf = (n: number) => [one, two][n % 2]!.url
  const clients = Array.from({ length: 30 }, (_, n) => [one, two][n % 2]!.connect())
  await waitFor(() => clients.every(({ connected }) => connected))
  const first = await Promise.all(upTo(5).map(n => openStream(t, urlOf(n), order)))
  const [replies, racing] = await Promise.all([
    Promise.all(clients.map(client => trySubscribe(client, order))),
    Promise.all(clients.map((_, n) => openStream(t, urlOf(n), order))),
  ])
  const streams = [...first, ...racing]
  const [sockets, seated] = [replies.filter(({ ok }) => ok), streams.filter(({ response }) => response.ok)]
  t.equal(sockets.length + seated.length, 20)
  t.ok(sockets.length > 0 && seated.length > 0, 'of both kinds')
  const refused = streams.find(({ response }) => !response.ok)!.response
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after'), /^\d+$/)
  t.match(await refused.json(), { success: false, code: 'TOO_MANY_CONNECTIONS', requestId: String })
  await pods.pay(order)
  await waitFor(() => seated.every(stream => stream.seqs().length === 1))

  seated[0]!.cut()
  const newcomer = clients.find((_, n) => !replies[n]!.ok)!
  await waitFor(async () => (await trySubscribe(newcomer, order)).ok, { what: 'its seat' })
  t.equal((await openStream(t, one.url, order)).response.status, 429)
  newcomer.disconnect()
  await waitFor(async () => (await openStream(t, one.url, order)).response.ok)
})

t.test('a cut connection goes on without a hole and without a double, also on another pod', async t => {
  const order = { trackingId: 'cut' }
  const first = await openStream(t, one.url, order)
  await pods.pay({ ...order, count: 3 })
  await first.waitForSeq(3)
  await one.service.stop('SIGKILL')
  await waitFor(() => first.ended)
  await pods.pay({ ...order, count: 250 })
  let isPaying = true
  const payer = (async () => {
    while (isPaying) await pods.pay(order)
  })()
  const seqs = first.seqs()
  let { lastEventId } = first
  for (const many of [100, 300, 320]) {
    const stream = await openStream(t, two.url, order, { lastEventId })
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

t.test('a pod that stops ends its streams, and each goes on elsewhere', async t => {
  const order = { trackingId: 'stopped' }
  const staying = await pods.start()
  const streams = await Promise.all(upTo(5).map(() => openStream(t, two.url, order)))
  await pods.pay(order)
  await waitFor(() => streams.every(stream => stream.seqs().length === 1))
  t.equal(await two.service.stop('SIGTERM'), 0)
  await waitFor(() => streams.every(({ ended }) => ended))
  await pods.pay(order)
  for (const { lastEventId } of streams) {
    const again = await openStream(t, staying.url, order, { lastEventId })
    await again.waitForSeq(2)
    t.strictSame(again.seqs(), [2])
  }
})
