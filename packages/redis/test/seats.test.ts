// What the places are. How pods and Redis may interleave, lose messages and forget is replayed from the model: test/models.
import { openPrivateServers, useRedis, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { LEASE_MS, seatOf, useSeatPods } from './use-seat-pods.js'

t.test('three pods and 3,000 racing askers: exactly N are admitted, and again after release', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  // A call that was given up on a busy machine is no refusal.
  const patient = { leaseMs: 30_000, timeoutMs: 20_000 }
  const pods = [await open(patient), await open(patient), await open(patient)]
  const race = () =>
    Promise.all(
      Array.from({ length: 3_000 }, (_, n) => pods[n % 3]!.ask({ limit: 100, networks: [`a${n}`] })),
    )
  const granted = (await race()).filter(answer => 'seat' in answer)
  t.equal(granted.length, 100)
  for (const answer of granted.slice(0, 40)) seatOf(answer).release()
  await waitFor(async () => 'seat' in (await pods[0]!.ask({ limit: 100, networks: ['late'] })))
  t.equal((await race()).filter(answer => 'seat' in answer).length, 39, 'those that were given back')
})

t.test('one address cannot fill a tracking ID', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  const pods = [await open(), await open()]
  const ask = (n: number, address: string) =>
    pods[n % 2]!.ask({ limit: 10, networks: [address], addressLimit: 3 })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n, 'stranger')))
  t.equal(answers.filter(answer => 'seat' in answer).length, 3)
  t.match(
    answers.find(answer => 'refused' in answer),
    { refused: 'address-full' },
  )
  t.ok(seatOf(await ask(0, 'somebody else')))
})

t.test('a network of many addresses has twice the places of one, and a wider one four times', async t => {
  const open = useSeatPods(t, (await useRedis(t)).url)
  const pods = [await open(), await open()]
  let asked = 0
  const ask = (...networks: string[]) =>
    pods[asked++ % 2]!.ask({ limit: 100, networks, addressLimit: 3, resume: '' })
  const count = async (answers: ReturnType<typeof ask>[]) =>
    (await Promise.all(answers)).filter(answer => 'seat' in answer).length
  const each = Array.from({ length: 30 }, (_, n) => n)
  t.equal(await count(each.map(n => ask(`a${n}`, 'street', 'city'))), 6)
  t.equal(await count(each.map(() => ask('one', 'lane', 'city'))), 3)
  t.equal(await count(each.map(n => ask(`b${n}`, `road ${n}`, 'city'))), 3, '12 in the city')
  t.equal(await count(each.map(n => ask(`c${n}`, `street ${n}`, `town ${n}`))), 30, 'others go on')
})

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
