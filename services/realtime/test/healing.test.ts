import { watchPayments } from '@payment-tracking/client'
import type { RetractionMessage } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, collectRetractions, subscribe, usePods } from './use-pods.js'
import { committedPaymentsOf } from './write-payments.js'

const seqsOf = (received: ReturnType<typeof collectPayments>) => received.map(({ data }) => data.seq)

const pods = await usePods(t, { 'realtime.healEveryMs': '1000' })
const pod = await pods.start()

t.test('without the time of a round', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const client = (await pods.start()).connect()
  const received = collectPayments(client)
  await subscribe(client, { trackingId: 'order' })

  t.test('a gap in the sequence is noticed at once, and only the missing payments are sent', async t => {
    await pods.commit({ trackingId: 'order', count: 5 })
    await pods.announce({ payments: await committedPaymentsOf(pods.store, 'order', [1, 4, 5]) })
    await waitFor(() => received.length >= 5, { what: 'healing' })
    t.same(seqsOf(received), [1, 4, 5, 2, 3])
  })

  t.test('a pod that lost Redis heals when Redis is back', async t => {
    await pods.commit({ trackingId: 'order', count: 3 })
    const clients = (await pods.redis.client.client('LIST')) as string
    for (const line of clients.split('\n')) {
      const id = /^id=(\d+) .*name=realtime:subscriber/.exec(line)?.[1]
      const ours = line.includes(` db=${pods.redis.url.split('/').at(-1)!} `)
      if (id && ours) await pods.redis.client.client('KILL', 'ID', id)
    }
    await waitFor(() => received.length >= 8, { what: 'healing after the reconnect' })
    t.same(seqsOf(received).slice(5), [6, 7, 8])
  })
})

t.test('retractions', async t => {
  const [first, other] = [pod.connect(), pod.connect()]
  const received = [collectRetractions(first), collectRetractions(other)]
  const payments = collectPayments(first)
  await subscribe(first, { trackingId: 'order' })
  await subscribe(other, { trackingId: 'other' })
  await pods.pay({ trackingId: 'order', count: 4 })
  await waitFor(() => payments.length === 4)
  /** Retracts as ingest does, without an announcement. */
  const retract = (seq: number) =>
    pods.database.pool.query(
      `update events set retracted_at = clock_timestamp() where tracking_id = 'order' and seq = $1`,
      [seq],
    )
  const announce = async (seq: number) =>
    pods.announce({
      payments: [],
      retractions: await committedPaymentsOf(pods.store, 'order', [seq]),
    })

  t.test('a retraction from Redis is sent at once, and healing does not repeat it', async t => {
    await retract(2)
    await announce(2)
    await waitFor(() => received[0]!.length > 0, { what: 'the retraction' })
    const [{ type, data }] = received[0] as [RetractionMessage]
    t.equal(type, 'retraction')
    t.strictSame(data, {
      trackingId: 'order',
      seq: 2,
      eventId: payments[1]!.data.eventId,
      signature: payments[1]!.data.signature,
    })
  })

  t.test('healing sends a retraction that Redis lost', async t => {
    await retract(3)
    await waitFor(() => received[0]!.length >= 2, { what: 'healing' })
    await retract(4)
    await waitFor(() => received[0]!.length >= 3, { what: 'healing once more' })
    const seqs = received[0]!.map(({ data }) => data.seq)
    t.strictSame(seqs, [2, 3, 4], 'each once')
    t.strictSame(received[1], [], 'other tracking IDs hear nothing')
  })

  t.test('the announcement of a retraction that healing sent is not sent again', async t => {
    await announce(3)
    await pods.pay({ trackingId: 'order' })
    await waitFor(() => payments.length === 5, { what: 'what was announced afterwards' })
    const foundSeqs = received[0]!.map(({ data }) => data.seq)
    t.strictSame(foundSeqs, [2, 3, 4])
  })

  t.test('a returning client gets the retractions of the time of its absence', async t => {
    const late = pod.connect()
    const retracted = collectRetractions(late)
    const { replay } = await subscribe(late, { trackingId: 'order', since: 3 })
    t.match(replay, [{ seq: 4, retracted: true }, { seq: 5 }], 'a replay says it of what it holds')
    await waitFor(() => retracted.length >= 2, { what: 'the retractions' })
    const allSeqs = retracted.map(({ data }) => data.seq)
    t.strictSame(allSeqs, [2, 3], 'and of what the client has, retractions tell')
  })

  t.test('the typed client reports each retraction once', async t => {
    const handed: [string, number][] = []
    const watch = watchPayments(pod.url, {
      trackingId: 'order',
      since: 5,
      onPayment: ({ seq }) => handed.push(['payment', seq]),
      onRetraction: ({ seq }) => handed.push(['retraction', seq]),
    })
    t.teardown(() => watch.close())
    await waitFor(() => handed.length === 3, { what: 'what was missed' })
    t.strictSame(handed.map(([what, seq]) => `${what} ${seq}`).sort(), [
      'retraction 2',
      'retraction 3',
      'retraction 4',
    ])
    await announce(3)
    await pods.pay({ trackingId: 'order' })
    await waitFor(() => handed.length >= 4)
    t.strictSame(handed.slice(3), [['payment', 6]], 'one that is announced again is not handed over again')
    await retract(1)
    await announce(1)
    await waitFor(() => handed.length >= 5)
    t.strictSame(handed.slice(4), [['retraction', 1]])
  })
})
