// A `seq` names a payment only together with the epoch of its database: a failover may lose commits, and payments that
// are stored again may get other numbers.
import { randomUUID } from 'node:crypto'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, subscribe, trySubscribe, usePods } from './use-pods.js'
import { committedPaymentsOf } from './write-payments.js'

t.test('a payment that was announced late, in an epoch that ended, is not sent', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const client = (await pods.start()).connect()
  const received = collectPayments(client)
  await subscribe(client, { trackingId: 'order' })
  await pods.commit({ trackingId: 'order', count: 2 })
  const [first, second] = await committedPaymentsOf(pods.store, 'order', [1, 2])
  await pods.announce({
    epoch: randomUUID(),
    payments: [{ ...second!, seq: 1, eventId: 'lost' }],
  })
  await pods.announce({ payments: [first!, second!] })
  await waitFor(() => received.length >= 2, { what: 'both payments' })
  t.same(
    received.map(({ data }) => [data.seq, data.eventId]),
    [
      [1, first!.eventId],
      [2, second!.eventId],
    ],
  )
})

t.test('a pod never answers with another epoch than its own', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const pod = await pods.start()
  const client = pod.connect({ reconnection: false })
  await subscribe(client, { trackingId: 'order' })
  await pods.database.pool.query('update stream_head set epoch = gen_random_uuid()')
  const reply = await trySubscribe(client, { trackingId: 'other' }).catch(() => ({ ok: false }))
  t.match(reply, { ok: false })
  t.equal(await pod.service.exited, 1)
})

t.test('a payment that arrives before the answer to its subscriber is sent after the answer', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const pod = await pods.start()
  const [early, late] = [pod.connect(), pod.connect()]
  const received = collectPayments(early)
  await subscribe(early, { trackingId: 'order' })
  await subscribe(late, { trackingId: 'another' })
  const seen: string[] = []
  late.on('payment', ({ data }) => seen.push(`payment ${data.seq}`))
  await pods.commit({ trackingId: 'order', count: 1 })
  const payments = await committedPaymentsOf(pods.store, 'order', [1])
  const reader = await pods.database.pool.connect()
  await reader.query('begin; lock table trackings in access exclusive mode')
  late.emit('subscribe', { trackingId: 'order', since: 0 }, reply => {
    seen.push(reply.ok ? `answer with ${reply.replay.length}` : reply.code)
  })
  // Both are in the room once the pod waits for the table.
  await waitFor(async () => {
    const { rows } = await pods.database.pool.query(
      `select from pg_locks where not granted and relation = 'trackings'::regclass`,
    )
    return rows.length > 0
  })
  await pods.announce({ payments })
  await waitFor(() => received.length === 1, { what: 'the payment, to the subscriber who has an answer' })
  await reader.query('commit')
  reader.release()
  await waitFor(() => seen.length === 2)
  t.same(seen, ['answer with 1', 'payment 1'])
})
