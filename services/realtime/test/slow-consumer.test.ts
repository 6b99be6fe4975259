import { once } from 'node:events'
import { connect } from 'node:net'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, openRaw, subscribe, trySubscribe, usePods } from './use-pods.js'
import { fakeBase58 } from './write-payments.js'

const STALLED = 100

/** Larger than any real payment, so that a few fill the system's buffers between two processes. */
const bigPayment = (seq: number): CommittedPayment =>
  makeCommittedPayment(fakeBase58('gateway'), {
    position: String(seq),
    trackingId: 'order',
    seq,
    signature: 'x'.repeat(16_000),
    paymentPolicy: fakeBase58('policy'),
  })

t.test('stalled clients are closed at a bounded queue; other clients notice nothing', async t => {
  const pods = await usePods(t, {
    'realtime.queuedPackets': '64',
    'realtime.healEveryMs': '3600000',
    MAX_CONNECTIONS_PER_TRACKING_ID: String(STALLED + 2),
  })
  const pod = await pods.start()
  const healthy = pod.connect()
  const received = collectPayments(healthy)
  await subscribe(healthy, { trackingId: 'order' })
  const stalled = await Promise.all(
    Array.from({ length: STALLED }, async () => {
      const socket = await openRaw(t, pod.url)
      const subscribed = new Promise<void>(resolve => {
        socket.on('message', (data: Buffer) => {
          const text = data.toString()
          if (text.startsWith('40')) socket.send('42["subscribe",{"trackingId":"order"}]')
          if (text.includes('Subscribed')) resolve()
        })
      })
      socket.send('40')
      await subscribed
      socket.pause()
      return socket
    }),
  )
  const stream = connect(Number(new URL(pod.url).port), '127.0.0.1')
  t.teardown(() => stream.destroy())
  stream.write('GET /v1/payments/stream?trackingId=order HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(stream, 'data')
  stream.pause()
  const newcomer = pod.connect()
  t.match(await trySubscribe(newcomer, { trackingId: 'order' }), { code: 'TOO_MANY_CONNECTIONS' })
  const metric = async (name: string) => (await pod.service.figure(name)) || 0
  const closes = () => metric('payment_tracking_realtime_closes_total{reason="SLOW_CONSUMER"}')
  const before = await metric('process_resident_memory_bytes')
  let seq = 0
  await waitFor(
    async () => {
      await pods.announce({ payments: Array.from({ length: 50 }, () => bigPayment(++seq)) })
      // At the speed of the healthy client: only the other clients are too slow.
      await waitFor(() => received.length === seq, { what: 'the healthy client' })
      return (await closes()) === stalled.length + 1
    },
    { what: 'the close of all stalled clients', timeoutMs: 60_000, intervalMs: 1 },
  )
  const grownMb = ((await metric('process_resident_memory_bytes')) - before) / 2 ** 20
  t.comment(`${seq} payments of 16 KB, memory grew by ${Math.round(grownMb)} MB`)
  t.ok(grownMb < 150, 'the queues are gone')
  const receivedSeqs = received.map(({ data }) => data.seq)
  t.same(
    receivedSeqs,
    Array.from({ length: seq }, (_, index) => index + 1),
  )
  await waitFor(async () => (await trySubscribe(newcomer, { trackingId: 'order' })).ok, { what: 'a seat' })

  t.test('a client that reads again sees the reason', async t => {
    const closed = once(stalled[0]!, 'close')
    stalled[0]!.resume()
    const [code, reason] = (await closed) as [number, Buffer]
    // The pod waits some seconds for a client that does not answer, then cuts the connection.
    if (code === 1006) return t.pass('too late')
    t.same([code, reason.toString()], [4008, 'SLOW_CONSUMER'])
  })
})
