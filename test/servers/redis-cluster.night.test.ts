// A Redis Cluster of three primaries and three replicas: each primary is killed in turn, and slots move, under load.
import { setTimeout as sleep } from 'node:timers/promises'
import { openRedis } from '@payment-tracking/redis'
import { makeCommittedPayment, openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { useSeatPods, type SeatPod } from '../../packages/redis/test/use-seat-pods.js'
import { SteadyClient } from '../../services/realtime/test/steady-client.js'
import { usePods } from '../../services/realtime/test/use-pods.js'
import { countRepeats } from '../../services/webhook-worker/test/support/count-repeats.js'
import { openRig } from '../../services/webhook-worker/test/support/start-worker.js'
import { startRedisCluster, type RedisCluster } from './start-redis-cluster.js'

const LEASE_MS = 4_000
const PATIENCE = { timeoutMs: 90_000 }

const serversOf = ({ env }: RedisCluster) => ({ redisUrl: env.REDIS_URL, isCluster: true })

t.test('seats: never more than there are, through failovers and a moved slot', async t => {
  const cluster = await startRedisCluster(t)
  const open = useSeatPods(t, { REDIS_URL: cluster.env.REDIS_URL, REDIS_CLUSTER: true }, 'seats')
  const pods = [1, 2, 3].map(() => open({ leaseMs: LEASE_MS }))
  const names = ['order-1', 'order-2', 'order-3']
  const LIMIT = 5
  /** who may be sent to: a seat that is not lost nor released, on a pod that may send */
  const holders = new Set<{ name: string; pod: SeatPod }>()
  const countLive = (name: string) =>
    [...holders].filter(holder => holder.name === name && holder.pod.seats.mayDeliver()).length
  let [most, grants] = [0, 0]
  let asking = true
  const ask = async (pod: SeatPod) => {
    while (asking) {
      const name = names[Math.floor(Math.random() * names.length)]!
      const holder = { name, pod }
      const answer = await pod.ask({
        name,
        limit: LIMIT,
        networks: [String(Math.random())],
        onLost: () => holders.delete(holder),
      })
      if ('seat' in answer) {
        holders.add(holder)
        grants++
        most = Math.max(most, countLive(name))
        await sleep(20 + Math.random() * 200)
        most = Math.max(most, countLive(name))
        holders.delete(holder)
        answer.seat.release()
      } else await sleep(5 + Math.random() * 20)
    }
  }
  const opened = await Promise.all(pods)
  const askers = opened.flatMap(pod => Array.from({ length: 10 }, () => ask(pod)))
  const goesOn = async () => {
    const before = grants
    await waitFor(() => grants > before + 100, { what: 'seats to be given again', ...PATIENCE })
  }
  await goesOn()
  await cluster.failOverEach(goesOn)
  await goesOn()
  await cluster.moveSlotOf('{payment-tracking:seats:state}')
  await goesOn()
  asking = false
  await Promise.all(askers)
  t.comment(`${grants} seats were given`)
  t.equal(most, LIMIT, 'all seats of a name were used, and never more')
  const fill = Array.from({ length: LIMIT + 5 }, (_, n) =>
    opened[n % 3]!.ask({ name: 'order-1', limit: LIMIT, networks: [`a${n}`] }),
  )
  t.equal((await Promise.all(fill)).filter(answer => 'seat' in answer).length, LIMIT, 'no seat was leaked')
})

t.test('a payment leaves one node alone, also after the slot of its channel moved', async t => {
  const cluster = await startRedisCluster(t)
  const settings = { REDIS_URL: cluster.env.REDIS_URL, REDIS_CLUSTER: true, ENVIRONMENT: 'shards' }
  const [publisher, pod] = [openRedis(settings), openRedis(settings)]
  t.teardown(() => Promise.all([publisher.close(), pod.close()]))
  const heard = new Set<string>()
  let listening = 0
  const reader = {
    accepts: () => true,
    findRoom: (trackingId: string) => trackingId,
    onPayment: (room: string) => void heard.add(room),
    onLifecycle: () => {},
    onExpectation: () => {},
  }
  pod.listenToShards(reader, () => listening++)
  const rooms = Array.from({ length: 40 }, (_, n) => `order-${n}`)
  const announce = async () => {
    heard.clear()
    const payments = rooms.map(trackingId => ({ ...makeCommittedPayment('gateway'), trackingId }))
    await publisher.announce({ epoch: 'e', payments })
  }
  const arrive = () => waitFor(() => heard.size === rooms.length, { what: 'every payment' })
  await waitFor(() => listening === 8, { what: 'all channels' })
  await waitFor(() => announce().then(() => true), { what: 'the publisher' })
  await arrive()
  const channel = 'payment-tracking:shards:payments:0'
  const subscribers = async () => {
    const client = await cluster.inside(channel)
    return (await client.call('PUBSUB', 'SHARDNUMSUB', channel)) as unknown[]
  }
  t.same(await subscribers(), [channel, 1])
  await cluster.moveSlotOf(channel)
  await waitFor(() => listening === 9, { what: 'the channel on its new node' })
  t.same(await subscribers(), [channel, 1])
  await waitFor(() => announce().then(() => true), { what: 'the publisher to find the new node' })
  await arrive()
})

t.test('sockets: every payment arrives once and in order', async t => {
  const cluster = await startRedisCluster(t)
  const settings = { 'realtime.leaseMs': String(LEASE_MS), 'realtime.healEveryMs': '2000' }
  const pods = await usePods(t, settings, serversOf(cluster))
  const living = await Promise.all([pods.start(), pods.start(), pods.start()])
  let turn = 0
  const url = () => living[turn++ % living.length]!.url
  // As many as the shard channels need to be all in use.
  const rooms = Array.from({ length: 12 }, (_, n) => `order-${n}`)
  const clients = rooms.flatMap(trackingId => [1, 2].map(() => new SteadyClient(t, { trackingId, url })))
  let paying = true
  let refused = 0
  const payer = (async () => {
    for (let n = 0; paying; n++) {
      // It is committed. While the node of its channel is away, healing has to bring it.
      await pods.pay({ trackingId: rooms[n % rooms.length]! }).catch(() => refused++)
      await sleep(10)
    }
  })()
  const recovered = async () => {
    const sums = clients.map(({ last }) => last)
    await waitFor(() => clients.every(({ last }, at) => last > sums[at]!), {
      what: 'payments to reach every client again',
      ...PATIENCE,
    })
  }
  await recovered()
  await cluster.failOverEach(recovered)
  for (const key of ['{payment-tracking:private:state}', 'payment-tracking:private:payments:0'])
    await cluster.moveSlotOf(key)
  await recovered()
  paying = false
  await payer
  for (const trackingId of rooms) {
    const { rows } = await pods.database.pool.query<{ head: string }>(
      'select head from trackings where tracking_id = $1',
      [trackingId],
    )
    const head = Number(rows[0]!.head)
    const here = clients.filter(client => client.trackingId === trackingId)
    await waitFor(() => here.every(({ last }) => last === head), { what: `payment ${head}`, ...PATIENCE })
    const expected = Array.from({ length: head }, (_, index) => index + 1).join()
    for (const { applied } of here) t.equal(applied.join(), expected, `${head} payments of ${trackingId}`)
  }
  t.comment(`${refused} announcements were refused meanwhile`)
})

t.test('deliveries: every one ends, and a receiver gets each at least once', async t => {
  const cluster = await startRedisCluster(t)
  const rig = await openRig(t, serversOf(cluster))
  const receiver = await openReceiver(t)
  receiver.answer(() => ({ status: 200, delayMs: 5 }))
  const { gateway } = await rig.addWebhook(receiver.url)
  const workers = await Promise.all([rig.startWorker(), rig.startWorker()])
  let [paying, paid] = [true, 0]
  const payer = (async () => {
    while (paying) {
      // While the queue's node is away, the sweeper finds the rows.
      await rig.pay(gateway, 5).catch(() => {})
      paid += 5
      await sleep(50)
    }
  })()
  const goesOn = async () => {
    const before = receiver.requests.length
    await receiver.waitForRequests(before + 50, PATIENCE)
  }
  await goesOn()
  await cluster.failOverEach(goesOn)
  await cluster.moveSlotOf('{payment-tracking:test}')
  await goesOn()
  paying = false
  await payer
  await rig.waitForStates({ delivered: paid }, PATIENCE)
  countRepeats(t, receiver, paid)
  for (const worker of workers) t.equal(await worker.stop(), 0, 'no worker ended itself')
})
