import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, subscribe, usePods } from './use-pods.js'
import { committedPaymentsOf } from './write-payments.js'

const seqsOf = (received: ReturnType<typeof collectPayments>) => received.map(({ data }) => data.seq)

t.test('what Redis lost reaches the rooms without any client code', async t => {
  const pods = await usePods(t, { HEAL_INTERVAL_MS: '1000' })
  const pod = await pods.start()
  const [one, two] = [pod.connect(), pod.connect()]
  const received = [collectPayments(one), collectPayments(two)]
  await subscribe(one, { trackingId: 'order' })
  await subscribe(two, { trackingId: 'order' })

  t.test('the loss of the last payment, found by comparing heads', async t => {
    await pods.commit({ trackingId: 'order', count: 120 })
    await waitFor(() => received.every(list => list.length >= 120), { what: 'healing' })
    const expected = Array.from({ length: 120 }, (_, index) => index + 1)
    for (const list of received) t.same(seqsOf(list), expected)
  })

  t.test('what is announced again is not told again', async t => {
    for (const list of received) list.length = 0
    await pods.connections.announce(await committedPaymentsOf(pods.store, 'order', [118, 119, 120]))
    await pods.pay({ trackingId: 'order' })
    await waitFor(() => received.every(list => list.length >= 1))
    for (const list of received) t.same(seqsOf(list), [121])
  })
})

t.test('a jump in the sequence is noticed at once, and only the hole is filled', async t => {
  const pods = await usePods(t, { HEAL_INTERVAL_MS: '3600000' })
  const client = (await pods.start()).connect()
  const received = collectPayments(client)
  await subscribe(client, { trackingId: 'order' })
  await pods.commit({ trackingId: 'order', count: 5 })
  await pods.connections.announce(await committedPaymentsOf(pods.store, 'order', [1, 4, 5]))
  await waitFor(() => received.length >= 5, { what: 'healing' })
  t.same(seqsOf(received), [1, 4, 5, 2, 3])
})

t.test('a pod that Redis had cut off heals when it is back', async t => {
  const pods = await usePods(t, { HEAL_INTERVAL_MS: '3600000' })
  const pod = await pods.start()
  const client = pod.connect()
  const received = collectPayments(client)
  await subscribe(client, { trackingId: 'order' })
  await pods.commit({ trackingId: 'order', count: 3 })
  const clients = (await pods.redis.client.client('LIST')) as string
  for (const line of clients.split('\n')) {
    const id = /^id=(\d+) .*name=realtime:subscriber/.exec(line)?.[1]
    const ours = line.includes(` db=${pods.redis.url.split('/').at(-1)!} `)
    if (id && ours) await pods.redis.client.client('KILL', 'ID', id)
  }
  await waitFor(() => received.length >= 3, { what: 'healing after the reconnect' })
  t.same(seqsOf(received), [1, 2, 3])
})
