// In one process with others: what tests load.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { subscribe, usePods } from './use-pods.js'

t.test('a pod whose database was replaced restarts: its memory belongs to the old database', async t => {
  const pods = await usePods(t, { 'realtime.healEveryMs': '200' })
  const pod = await pods.start()
  const { epoch } = await subscribe(pod.connect({ reconnection: false }), { trackingId: 'order' })
  // The pod notices a replacement only after it has looked at the first database once.
  let ended = false
  void pod.service.exited.then(() => (ended = true))
  await waitFor(
    async () => {
      await pods.database.pool.query('update stream_head set epoch = gen_random_uuid()')
      return ended
    },
    { intervalMs: 500, what: 'the end of the pod' },
  )
  t.equal(await pod.service.exited, 1)
  const next = await pods.start()
  t.match(await subscribe(next.connect(), { trackingId: 'order', since: 0, epoch }), { recovered: false })
})

t.test('recovery by since and epoch', async t => {
  // No healing: the order of joining the room and reading the history alone keeps what comes in between.
  const pods = await usePods(t, { 'realtime.healEveryMs': '3600000' })
  const [one, two] = await Promise.all([pods.start(), pods.start()])
  await pods.commit({ trackingId: 'order', count: 250 })

  t.test('without since: payments from now on, and head tells how many exist', async t => {
    const reply = await subscribe(one.connect(), { trackingId: 'order' })
    t.match(reply, { ok: true, head: 250, recovered: false, replay: [], more: false, next: 250 })
    t.match(reply, { epoch: /^[0-9a-f-]{36}$/, resume: /^[\w-]{20,}$/ })
    const ofNothing = await subscribe(one.connect(), { trackingId: 'nothing yet', since: 0 })
    t.match(ofNothing, { head: 0, recovered: true, replay: [], more: false })
  })

  t.test('since 0 replays all, in pages, from any pod', async t => {
    const client = one.connect()
    let reply = await subscribe(client, { trackingId: 'order', since: 0 })
    t.match(reply, { recovered: true, more: true, next: 100, head: 250 })
    const seqs = reply.replay.map(({ seq }) => seq)
    const other = two.connect()
    while (reply.more) {
      reply = await subscribe(other, { trackingId: 'order', since: reply.next, epoch: reply.epoch })
      seqs.push(...reply.replay.map(({ seq }) => seq))
    }
    const wanted = Array.from({ length: 250 }, (_, index) => index + 1)
    t.same(seqs, wanted)
    t.match(reply.replay.at(-1), { trackingId: 'order', amountString: '1000', status: 'executed' })
  })

  t.test('a range that cannot be recovered is reported, and nothing is replayed in part', async t => {
    const client = one.connect()
    const { epoch } = await subscribe(client, { trackingId: 'order' })
    const lost = { recovered: false, replay: [], more: false, head: 250, next: 250 }
    t.match(await subscribe(client, { trackingId: 'order', since: 251 }), lost)
    const otherEpoch = '00000000-0000-4000-8000-000000000000'
    t.match(await subscribe(client, { trackingId: 'order', since: 3, epoch: otherEpoch }), lost)
    const fromTheEnd = await subscribe(client, { trackingId: 'order', since: 250, epoch })
    t.match(fromTheEnd, { recovered: true, replay: [], more: false })
  })

  t.test('a payment at the moment of subscribing comes in the answer or by the room', async t => {
    const client = one.connect()
    const pushed = new Set<string>()
    client.on('payment', ({ data }) => pushed.add(data.trackingId))
    for (const trackingId of Array.from({ length: 80 }, (_, n) => `race-${n}`)) {
      const asked = subscribe(client, { trackingId, since: 0 })
      const [{ replay }] = await Promise.all([asked, pods.pay({ trackingId })])
      const what = `the payment of ${trackingId}`
      await waitFor(() => replay.length === 1 || pushed.has(trackingId), { what, timeoutMs: 10_000 })
    }
    t.pass()
  })
})
