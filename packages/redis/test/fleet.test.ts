// Members of a fleet come, go, crash and are paused, and Redis loses its data: what all of them use together never is
// more than the cap.
import { setTimeout as sleep } from 'node:timers/promises'
import { isQuick, useRedis, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { exchangeAnswers, Fleet, openRedis } from '../src/index.js'

const LEASE_MS = 1_500
const LONGEST_USE_MS = 300
const CAPS = [1, 2, 5, 7, 64]

interface Member {
  fleet: Fleet
  /** uses in progress, by cap */
  inUse: Map<number, number>
  isGone: boolean
  leave(): Promise<void>
  crash(): void
}

async function useMembers(t: TestContext) {
  const redis = await useRedis(t)
  const members = new Set<Member>()
  const open = (): Member => {
    const connections = openRedis({ REDIS_URL: redis.url, ENVIRONMENT: redis.prefix })
    const inUse = new Map(CAPS.map(cap => [cap, 0]))
    const fleet = new Fleet({
      redis: connections,
      name: 'test',
      leaseMs: LEASE_MS,
      longestUseMs: LONGEST_USE_MS,
      fits: () => CAPS.every(cap => inUse.get(cap)! <= fleet.shareOf(cap, String(cap))),
      onBeat: () => Promise.resolve(),
      onError: () => {},
    })
    const member: Member = {
      fleet,
      inUse,
      isGone: false,
      leave: async () => {
        member.isGone = true
        await waitFor(() => CAPS.every(cap => inUse.get(cap) === 0), { what: 'the last use to end' })
        await fleet.close()
        await connections.close()
        members.delete(member)
      },
      crash: () => {
        member.isGone = true
        connections.commands.disconnect()
      },
    }
    fleet.start()
    members.add(member)
    return member
  }
  t.teardown(() => Promise.all([...members].map(member => member.leave())))
  return { redis, members, open }
}

/** Uses the shares of a member as far as they go, each use for a random time, until the member is gone. */
async function useUp({ fleet, inUse }: Member, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (const cap of CAPS) {
      while (inUse.get(cap)! < fleet.shareOf(cap, String(cap))) {
        inUse.set(cap, inUse.get(cap)! + 1)
        setTimeout(() => inUse.set(cap, inUse.get(cap)! - 1), Math.random() * (LONGEST_USE_MS - 100))
      }
    }
    await sleep(5)
  }
}

t.test('through joins, leaves, crashes and lost data the uses never exceed a cap', async t => {
  const { redis, members, open } = await useMembers(t)
  const most = new Map(CAPS.map(cap => [cap, 0]))
  const watch = setInterval(() => {
    for (const cap of CAPS) {
      const sum = [...members].reduce((total, { inUse }) => total + inUse.get(cap)!, 0)
      most.set(cap, Math.max(most.get(cap)!, sum))
    }
  }, 1)
  t.teardown(() => clearInterval(watch))
  const join = () => {
    const member = open()
    void useUp(member, () => member.isGone)
    return member
  }
  const living = () => [...members].filter(({ isGone }) => !isGone)
  const allShare = () =>
    waitFor(() => living().every(({ fleet }) => fleet.members === living().length), {
      what: `${living().length} members to share`,
      timeoutMs: 60_000,
    })
  join()
  join()
  await allShare()
  join()
  await allShare()
  await living()[0]!.leave()
  await allShare()
  living()[0]!.crash()
  join()
  join()
  await allShare()
  await redis.client.flushdb()
  join()
  await allShare()
  for (let round = 0; round < 6; round++) {
    if (living().length > 1 && Math.random() < 0.5) await living()[0]!.leave()
    else if (living().length > 1 && Math.random() < 0.3) living()[0]!.crash()
    join()
    if (Math.random() < 0.2) await redis.client.flushdb()
    await sleep(Math.random() * LEASE_MS)
  }
  await allShare()
  await waitFor(() => CAPS.every(cap => most.get(cap) === cap), { what: 'all caps to be used up' })
  for (const cap of CAPS) t.equal(most.get(cap), cap, `a cap of ${cap}`)
})

t.test('while Redis is away a share stays until its lease ends', async t => {
  const { open } = await useMembers(t)
  const [one, two] = [open(), open()]
  await waitFor(() => one.fleet.members === 2 && two.fleet.members === 2)
  t.equal(one.fleet.shareOf(64, 'endpoint'), 32)
  t.equal(one.fleet.rateShare(), 0.5)
  one.crash()
  const crashedAtMs = performance.now()
  t.equal(one.fleet.shareOf(64, 'endpoint'), 32, 'the share is still there')
  await waitFor(() => one.fleet.members === 0)
  const keptMs = performance.now() - crashedAtMs
  isQuick(t, keptMs, LEASE_MS - LONGEST_USE_MS, 'it ended')
  await waitFor(() => two.fleet.members === 1)
  t.equal(two.fleet.shareOf(64, 'endpoint'), 64, 'the other has all, later')
  t.ok(performance.now() - crashedAtMs > keptMs + LONGEST_USE_MS / 2)
})

t.test('answers of all processes are counted together, and forgotten after a reset', async t => {
  const redis = await useRedis(t)
  const connections = openRedis({ REDIS_URL: redis.url, ENVIRONMENT: redis.prefix })
  t.teardown(() => connections.close())
  await waitFor(() => connections.ping().then(() => true))
  const tell = async (made: number, failed: number, isReset = false) =>
    (await exchangeAnswers(connections, 60_000, new Map([['7', { made, failed, isReset }]]))).get('7')
  t.same(await tell(4, 3), { made: 4, failed: 3 })
  t.same(await tell(6, 6), { made: 10, failed: 9 })
  t.same(await tell(0, 0, true), { made: 0, failed: 0 })
  t.same(await tell(1, 0), { made: 1, failed: 0 })
  const [key] = await redis.client.keys('*answers*')
  t.ok((await redis.client.pttl(key!)) > 0, 'the counts of an endpoint do not stay')
})
