// Seats where pods die, where messages and answers are late or lost, and where Redis forgets. Who gets one of them is in
// services/realtime/test/seats.long.test.ts.
import { setImmediate as turn } from 'node:timers/promises'
import { openPrivateServers, useRedis, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { LEASE_MS, seatOf, useSeatPods } from './use-seat-pods.js'

t.test('places of a pod that died come back after its lease, not before its fence', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  const [dying, living] = [await open(), await open()]
  for (let n = 0; n < 5; n++) seatOf(await dying.ask())
  dying.crash()
  const diedAtMs = performance.now()
  t.match(await living.ask(), { refused: 'full' })
  seatOf(
    await waitFor(async () => {
      const answer = await living.ask()
      return 'seat' in answer && answer
    }),
  )
  t.ok(performance.now() - diedAtMs > LEASE_MS * 0.5)
  t.notOk(dying.seats.mayDeliver(), 'it was fenced before')
})

t.test('the holder of its secret takes a seat over, from a living pod and from a dead one', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  // Longer than this test may take: a pod that waited for the lease would never be given the seat.
  const long = { leaseMs: 600_000 }
  const [one, two] = [await open(long), await open(long)]
  const first = seatOf(await one.ask({ limit: 1 }))
  t.match(await two.ask({ limit: 1, resume: 'not the secret' }), { refused: 'full' })
  const second = seatOf(await two.ask({ limit: 1, resume: first.resume }))
  t.same(one.lost, ['taken-over'])
  t.match(await one.ask({ limit: 1, resume: first.resume }), { refused: 'full' }, 'the secret served once')
  const third = seatOf(await two.ask({ limit: 1, resume: second.resume }))
  t.same(two.lost, ['taken-over'], 'on one pod too')

  const [three] = [await open({ leaseMs: LEASE_MS })]
  third.release()
  const held = seatOf(
    await waitFor(async () => {
      const answer = await three.ask({ limit: 1 })
      return 'seat' in answer && answer
    }),
  )
  three.crash()
  const takenAtMs = performance.now()
  t.ok(seatOf(await two.ask({ limit: 1, resume: held.resume })))
  t.ok(performance.now() - takenAtMs > LEASE_MS * 0.3, 'not before the dead pod can no longer send')
})

t.test('after a failover that outlasts the lease, seated clients come before newcomers', async t => {
  const servers = await openPrivateServers(t)
  const open = useSeatPods(t, servers.redisUrl)
  const [pod, other] = [await open(), await open()]
  for (let n = 0; n < 3; n++) seatOf(await pod.ask({ limit: 3 }))
  await servers.private.redis!.kill()
  await waitFor(() => !pod.seats.mayDeliver() && !other.seats.mayDeliver(), { what: 'two fences' })
  await servers.private.redis!.restart()
  // A newcomer that never stops asking.
  const refusals = new Set<string>()
  await waitFor(
    async () => {
      const answer = await other.ask({ limit: 3 })
      if ('refused' in answer) refusals.add(answer.refused)
      return 'seat' in answer || refusals.has('full')
    },
    { what: 'an answer to the newcomer', intervalMs: 1 },
  )
  t.ok(refusals.has('full'), 'the newcomer found no place')
  await waitFor(() => pod.seats.mayDeliver(), { what: 'the lease of the seated' })
  t.same(pod.lost, ['fenced', 'lifted'], 'nobody lost a seat')
})

t.test('a restarted Redis admits only renewals, unless every pod had ended orderly', async t => {
  const servers = await openPrivateServers(t)
  const open = useSeatPods(t, servers.redisUrl)
  const pod = await open({ leaseMs: 3_000 })
  for (let n = 0; n < 3; n++) seatOf(await pod.ask({ limit: 3 }))
  await servers.private.redis!.kill()
  await servers.private.redis!.restart()
  const newcomer = await open({ leaseMs: 3_000 })
  t.match(await newcomer.ask({ limit: 100 }), { refused: 'unavailable' })
  await waitFor(async () => {
    const answer = await newcomer.ask({ limit: 3 })
    return 'refused' in answer && answer.refused === 'full'
  })
  t.notOk(pod.lost.includes('full'))
  await newcomer.seats.close()
  await pod.seats.close()
  await servers.private.redis!.kill()
  await servers.private.redis!.restart()
  const next = await open({ leaseMs: 3_000 })
  t.ok(seatOf(await next.ask({ limit: 3 })), 'nobody held anything')
})

t.test('a pod that does not hear of a takeover learns of it with its next renewal', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  const [one, two] = [await open(), await open()]
  const held = seatOf(await one.ask({ limit: 1 }))
  one.deafen()
  seatOf(await two.ask({ limit: 1, resume: held.resume }))
  await waitFor(() => one.lost.length > 0, { what: 'the news' })
  t.same(one.lost, ['taken-over'])
})

t.test('the time of a lease runs from the question, however late its answer comes', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  const pod = await open({ timeoutMs: 30_000 })
  await pod.delayAnswer('renewed', LEASE_MS)
  await turn()
  t.notOk(pod.seats.mayDeliver())
})

t.test('what was given up is given up again on a standby that lacks it', async t => {
  const { client, url } = await useRedis(t)
  const open = useSeatPods(t, url)
  const pod = await open()
  const seat = seatOf(await pod.ask({ limit: 1 }))
  const [seats] = await client.keys('*lease:seats:order')
  const [member] = await client.smembers(seats!)
  seat.release()
  await waitFor(async () => (await client.exists(seats!)) === 0, { what: 'the release' })
  const [run] = await client.keys('*lease:run')
  await client.multi().sadd(seats!, member!).set(run!, 'another server:1').exec()
  t.ok(await waitFor(async () => 'seat' in (await pod.ask({ limit: 1 })), { what: 'the place' }))
})
