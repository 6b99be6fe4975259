// Everything at once, and no client notices more than a delay: pods are killed and paused, Redis hangs, loses its
// data and restarts, sockets drop, clients stall. A few seconds of each here; `CHAOS=long` goes on
// for minutes and draws the blows at random, from SEED.
import { setTimeout as sleep } from 'node:timers/promises'
import { openPrivateServers, waitFor, type TestContext, buildRandom } from '@payment-tracking/testkit'
import t from 'tap'
import { SteadyClient } from '../../services/realtime/test/steady-client.js'
import { openRaw, usePods, type Pod } from '../../services/realtime/test/use-pods.js'
import { Contest } from './contest.js'

const LONG = process.env.CHAOS === 'long'
const LEASE_MS = 2_000
const SEATS = 8
const ROOMS = 4
const CLIENTS_PER_ROOM = 6
const CONTENDERS = 20
const ROUNDS = LONG ? 20 : 1
const PAYMENT_PAUSE_MS = 25

const seed = process.env.SEED ?? '1'
t.comment(`SEED=${seed}`)
const random = buildRandom(seed, 'realtime')
const oneOf = <T>(list: readonly T[]): T => random.pick(list)

/** A client that subscribes and never reads again. */
async function openStalled(t: TestContext, url: string, trackingId: string): Promise<void> {
  const socket = await openRaw(t, url)
  socket.on('message', (data: Buffer) => {
    if (data.toString().startsWith('40')) {
      socket.send(`42${JSON.stringify(['subscribe', { trackingId }])}`)
      socket.pause()
    }
  })
  socket.send('40')
}

t.test(
  'through crashes, pauses, lost data and lost sockets every payment arrives, and never more than N are sent to',
  async t => {
    const servers = await openPrivateServers(t)
    const settings = {
      'realtime.leaseMs': String(LEASE_MS),
      'realtime.healEveryMs': '1000',
      MAX_CONNECTIONS_PER_TRACKING_ID: String(SEATS),
    }
    const pods = await usePods(t, settings, servers)
    const living: Pod[] = await Promise.all([pods.start(), pods.start(), pods.start()])
    const url = () => oneOf(living).url

    const rooms = Array.from({ length: ROOMS }, (_, n) => `order-${n}`)
    const clients = rooms.flatMap(trackingId =>
      Array.from({ length: CLIENTS_PER_ROOM }, () => new SteadyClient(t, { trackingId, url })),
    )
    const contest = new Contest(t, { trackingId: 'contested', contenders: CONTENDERS, url })
    for (const trackingId of rooms) await openStalled(t, url(), trackingId)
    const allCaughtUp = (what: string) =>
      waitFor(() => clients.every(({ caughtUp }) => caughtUp), { what, timeoutMs: 60_000 })
    await allCaughtUp('the first subscriptions')

    const heads = new Map<string, number>()
    let paying = true
    const payer = (async () => {
      while (paying) {
        const trackingId = oneOf([...rooms, 'contested'])
        const seqs = await pods
          .pay({ trackingId })
          // It is committed; Redis is away, and healing has to bring it.
          .catch(() => [])
        for (const seq of seqs) heads.set(trackingId, seq)
        await sleep(PAYMENT_PAUSE_MS)
      }
    })()

    const blows: Record<string, () => Promise<void>> = {
      'sockets drop': async () => {
        for (const client of clients) if (random.chance(0.4)) client.drop()
      },
      'a pod is killed': async () => {
        const [victim] = living.splice(random.between(0, living.length - 1), 1)
        await victim!.service.stop('SIGKILL')
        living.push(await pods.start())
      },
      'a pod hangs for longer than its lease': async () => {
        const victim = oneOf(living)
        victim.service.signal('SIGSTOP')
        await sleep(LEASE_MS * 1.5)
        victim.service.signal('SIGCONT')
      },
      'a pod is replaced': async () => {
        const [leaving] = living.splice(random.between(0, living.length - 1), 1)
        const arriving = pods.start()
        await leaving!.service.stop()
        living.push(await arriving)
      },
      'Redis hangs': async () => {
        await pods.redis.client.call('CLIENT', 'PAUSE', String(LEASE_MS / 2), 'ALL')
      },
      'Redis loses its data': async () => {
        await pods.redis.client.flushall()
      },
      'Redis is killed and comes back': async () => {
        await servers.private.redis!.kill()
        await servers.private.redis!.restart()
      },
    }
    for (let round = 0; round < ROUNDS; round++) {
      const names = Object.keys(blows)
      for (const name of LONG ? names.map(() => oneOf(names)) : names) {
        await blows[name]!()
        await allCaughtUp(`recovery after: ${name}`)
        await contest.waitUntilFull(SEATS)
        if (contest.most > SEATS) throw new Error(`${contest.most} were sent to after: ${name}`)
        if (LONG) t.comment(`round ${round + 1}: ${name}`)
      }
    }
    paying = false
    await payer

    for (const trackingId of rooms) {
      const { rows } = await pods.database.pool.query<{ head: string }>(
        'select head from trackings where tracking_id = $1',
        [trackingId],
      )
      const head = Number(rows[0]!.head)
      const here = clients.filter(client => client.trackingId === trackingId)
      await waitFor(() => here.every(({ last }) => last === head), {
        what: `payment ${head} of ${trackingId}`,
      })
      const expected = Array.from({ length: head }, (_, index) => index + 1)
      t.ok(
        here.every(({ applied }) => applied.join() === expected.join()),
        `${head} payments of ${trackingId}: no gap, no double, in order`,
      )
    }
    t.ok(contest.samples > 10, `${contest.samples} samples of who was sent to`)
    t.ok(contest.most <= SEATS, `at most ${contest.most} of ${CONTENDERS} contenders were sent to`)
    t.equal(contest.most, SEATS, 'and all seats were used')
  },
)
