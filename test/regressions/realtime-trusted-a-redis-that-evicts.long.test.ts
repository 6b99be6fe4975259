// A Redis that evicts keys drops seats: ten connections were sent to at a limit of five. Realtime did not look at its
// start, nor later.
import { openPrivateServers, waitFor } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import t from 'tap'
import { usePods } from '../../services/realtime/test/use-pods.js'

t.test('realtime sends nothing while Redis evicts, and does not start with such a Redis', async t => {
  const servers = await openPrivateServers(t)
  const pods = await usePods(t, { 'realtime.leaseMs': '2000' }, servers)
  const admin = new Redis(servers.redisUrl)
  t.teardown(() => admin.disconnect())
  const pod = await pods.start()
  const lease = async () => {
    const answer = await fetch(`${pod.service.managementUrl}/readyz`)
    const { dependencies } = (await answer.json()) as { dependencies: { lease: string } }
    return { status: answer.status, line: dependencies.lease }
  }
  const client = pod.connect()
  const seen: number[] = []
  client.on('payment', ({ data }) => void seen.push(data.seq))
  await client.emitWithAck('subscribe', { trackingId: 'order' })

  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await waitFor(async () => /evicts keys \(maxmemory-policy allkeys-lru\)/.test((await lease()).line), {
    what: 'readiness to name the cause',
  })
  t.equal((await lease()).status, 503)
  await pods.pay({ trackingId: 'order', count: 1 })
  const refused = await pod.connect().emitWithAck('subscribe', { trackingId: 'another' })
  t.match(refused, { ok: false, code: 'UNAVAILABLE' })
  t.strictSame(seen, [], 'nothing is sent')
  await t.rejects(pods.start(), /ended with exit code 1/, 'another pod does not start')

  await admin.config('SET', 'maxmemory-policy', 'noeviction')
  await waitFor(async () => (await lease()).status === 200, { what: 'the lease' })
  await waitFor(() => seen.length === 1, { what: 'the payment that was held back' })
})
