// What two pods tell their clients of payments, and of what is expected: from the answer on, each change is sent, announced or not.
import { once } from 'node:events'
import type { ExpectationMessage } from '@payment-tracking/contracts'
import { cancelExpectation, createExpectation } from '@payment-tracking/store/admin'
import { readExpectation } from '@payment-tracking/store/reads'
import { waitFor, workAsIngest } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, subscribe, usePods, type Client } from './use-pods.js'
import { fakeBase58 } from './write-payments.js'

const pods = await usePods(t, { 'realtime.expectationEveryMs': '100' })
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
  const ofSize = await subscribe(client, { trackingId: 'zahlung-größe-€' })
  t.match(ofSize, { head: 2, recovered: false, replay: [] })
  t.equal(received.length, 1)
})

t.test('an expected payment', async t => {
  const { store, database } = pods
  workAsIngest(t, store)
  const gateway = fakeBase58('gateway')
  const expect = async (trackingId: string) =>
    (
      await createExpectation(store, {
        gateway,
        trackingId,
        recipient: fakeBase58('till'),
        tokenMint: fakeBase58('token'),
        amount: 2n ** 64n - 1n,
        expiresAt: new Date(Date.now() + 3_600_000),
        reference: 'a secret of the shop',
      })
    ).record
  const collect = (client: Client): ExpectationMessage[] => {
    const received: ExpectationMessage[] = []
    client.on('expectation', message => received.push(message))
    return received
  }
  const [order, other] = [await expect('expected-1'), await expect('expected-2')]
  const isCounted = async ({ id }: { id: string }) => !(await readExpectation(store, id))!.counting
  await waitFor(async () => (await isCounted(order)) && isCounted(other), { what: 'the count' })

  t.test('the answer has the record, and an id of another tracking ID is refused', async t => {
    const client = one.connect()
    const reply = await subscribe(client, { trackingId: 'expected-1', expectation: order.id })
    t.match(reply, {
      ok: true,
      expectation: {
        id: order.id,
        trackingId: 'expected-1',
        state: 'open',
        amountString: '18446744073709551615',
        paidAmount: 0,
        payments: [],
      },
    })
    t.notMatch(JSON.stringify(reply), 'reference')
    for (const expectation of [other.id, '00000000-0000-4000-8000-000000000000', 'order', 7]) {
      const refused = await client
        .timeout(10_000)
        .emitWithAck('subscribe', { trackingId: 'expected-1', expectation })
      t.match(refused, { ok: false, code: 'INVALID_REQUEST' }, String(expectation))
    }
  })

  t.test('changes reach those who follow it, once', async t => {
    const clients = [one.connect(), two.connect(), one.connect(), one.connect()]
    const received = clients.map(collect)
    for (const client of clients.slice(0, 2))
      await subscribe(client, { trackingId: 'expected-1', expectation: order.id })
    await subscribe(clients[2]!, { trackingId: 'expected-1' })
    await subscribe(clients[3]!, { trackingId: 'expected-2', expectation: other.id })
    // Read before the change: what is announced late, the pod finds by itself.
    const { record } = (await readExpectation(store, order.id))!
    await database.pool.query(
      `update expectations set state = 'underpaid', paid_amount = 5, payment_count = 1, changes = 1, cause_position = 7 where id = $1`,
      [order.id],
    )
    const data = `{"id":"${order.id}","state":"underpaid","trackingId":"expected-1","amount":${record.amount}}`
    const announcement = {
      payments: [],
      expectations: [{ id: order.id, trackingId: 'expected-1', changes: 1, position: '7', data }],
    }
    await pods.announce(announcement)
    for (const each of received.slice(0, 2))
      await waitFor(() => each.length > 0, { what: 'the announced change' })
    await pods.announce(announcement)
    const pushed = received[0]![0]
    t.match(pushed, { type: 'expectation', data: { state: 'underpaid' }, position: 7, timestamp: Number })

    // Nobody announces that the time is over.
    await database.pool.query(`update expectations set expires_at = now() - interval '1 s' where id = $1`, [
      order.id,
    ])
    for (const each of received.slice(0, 2)) await waitFor(() => each.length > 1, { what: 'the expiry' })
    t.match(received[1]![1]!.data, { state: 'expired', paidAmountString: '5', paymentCount: 1 })
    t.notMatch(JSON.stringify(received), 'reference')
    await cancelExpectation(store, gateway, other.id)
    await waitFor(() => received[3]!.length > 0, { what: 'the cancellation' })
    // Whoever was sent the expiry before it was written must be told of what follows.
    await cancelExpectation(store, gateway, order.id)
    for (const each of received.slice(0, 2))
      await waitFor(() => each.length > 2, { what: 'the cancellation' })
    t.same(
      received.map(messages => messages.map(message => message.data.state)),
      [['underpaid', 'expired', 'cancelled'], ['underpaid', 'expired', 'cancelled'], [], ['cancelled']],
    )
    t.match(received[0]![2], { position: null, data: { eventId: null, paidAmountString: '0' } })
  })
})
