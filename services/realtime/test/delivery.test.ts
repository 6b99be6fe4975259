import { once } from 'node:events'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, subscribe, usePods } from './use-pods.js'
import { fakeBase58 } from './write-payments.js'

const pods = await usePods(t)
const [one, two] = await Promise.all([pods.start(), pods.start()])

t.test('two pods deliver a payment to their subscribers, each client once', async t => {
  const clients = [one.connect(), one.connect(), two.connect()]
  const received = clients.map(collectPayments)
  for (const client of clients) await subscribe(client, { trackingId: 'order-1' })
  const other = two.connect()
  const othersPayments = collectPayments(other)
  await subscribe(other, { trackingId: 'order-2' })

  await pods.pay({ trackingId: 'order-1', amount: '18446744073709551615' })
  await pods.pay({ trackingId: 'order-1' })
  await waitFor(() => received.every(list => list.length >= 2), { what: 'both payments at every client' })
  for (const list of received)
    t.same(
      list.map(({ data }) => data.seq),
      [1, 2],
    )
  const message = received[0]![0]!
  t.match(message, {
    type: 'payment_notification',
    timestamp: Number,
    data: {
      trackingId: 'order-1',
      amount: 18446744073709552000,
      amountString: '18446744073709551615',
      timestamp: 1790000000,
      status: 'executed',
      signature: String,
      slot: 1001,
      gateway: fakeBase58('gateway'),
      paymentPolicy: fakeBase58('policy'),
      recipient: fakeBase58('recipient'),
      payer: null,
      tokenMint: null,
      recordId: 1,
      eventId: String,
      seq: 1,
    },
  })
  t.equal(othersPayments.length, 0, 'nobody else hears of it')
})

t.test("the ten-line client: subscribe, 'ack', 'payment'; unsubscribe ends it", async t => {
  const client = one.connect()
  const received = collectPayments(client)
  client.emit('subscribe', { trackingId: 'zahlung-größe-€' })
  const [ack] = (await once(client as never, 'ack')) as [unknown]
  t.match(ack, { type: 'ack', data: 'Subscribed to trackingId: zahlung-größe-€', timestamp: Number })
  await pods.pay({ trackingId: 'zahlung-größe-€' })
  await waitFor(() => received.length === 1)
  client.emit('unsubscribe', { trackingId: 'zahlung-größe-€' })
  const [bye] = (await once(client as never, 'ack')) as [unknown]
  t.match(bye, { data: 'Unsubscribed from trackingId: zahlung-größe-€' })
  await pods.pay({ trackingId: 'zahlung-größe-€' })
  t.match(await subscribe(client, { trackingId: 'zahlung-größe-€' }), {
    head: 2,
    recovered: false,
    replay: [],
  })
  t.equal(received.length, 1)
})
