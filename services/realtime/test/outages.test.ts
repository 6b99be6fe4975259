// What subscribers see while the servers behind a pod are away. The pod recovers without a restart.
import { openPrivateServers, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectErrors, collectPayments, subscribe, trySubscribe, usePods } from './use-pods.js'
import { committedPaymentsOf, fakeBase58 } from './write-payments.js'

t.test('new subscribers are refused with UNAVAILABLE, present subscribers are served', async t => {
  const servers = await openPrivateServers(t)
  const pods = await usePods(t, { 'realtime.healEveryMs': '300' }, servers)
  const pod = await pods.start()
  const [client, newcomer] = [pod.connect(), pod.connect()]
  const received = collectPayments(client)
  const errors = collectErrors(newcomer)
  await subscribe(client, { trackingId: 'order' })
  await subscribe(newcomer, { trackingId: 'other' })
  const readiness = async () => (await fetch(`${pod.service.managementUrl}/readyz`)).status
  const refused = { ok: false, code: 'UNAVAILABLE' }

  t.test('while Redis hangs, from the store', async t => {
    process.kill(servers.private.redis!.pid, 'SIGSTOP')
    t.match(await trySubscribe(newcomer, { trackingId: 'order' }), refused)
    await pods.commit({ trackingId: 'order' })
    await waitFor(() => received.length === 1, { what: 'the payment by healing' })
    t.equal(await readiness(), 503)
    process.kill(servers.private.redis!.pid, 'SIGCONT')
    await waitFor(async () => (await trySubscribe(newcomer, { trackingId: 'order' })).ok)
    await newcomer.emitWithAck('unsubscribe', { trackingId: 'order' })
  })

  t.test('while Postgres is away, and then get the payments announced meanwhile', async t => {
    const committed = await committedPaymentsOf(pods.store, 'order', [1])
    await servers.private.postgres!.kill()
    t.match(await trySubscribe(newcomer, { trackingId: 'order' }), refused)
    const filter = { trackingId: 'order', recipient: fakeBase58('somebody else') }
    t.match(await trySubscribe(client, filter), refused, 'and changes nothing')
    await pods.announce({ payments: committed.map(payment => ({ ...payment, seq: 2 })) })
    await waitFor(() => received.length === 2, { what: 'the payment by Redis' })
    t.equal(await readiness(), 503)
    await servers.private.postgres!.restart()
    await waitFor(async () => (await trySubscribe(newcomer, { trackingId: 'order' })).ok)
    t.equal(received.length, 2)
  })

  t.ok(errors.every(({ data }) => data.code === 'UNAVAILABLE'))
  t.ok(newcomer.connected && client.connected)
})
