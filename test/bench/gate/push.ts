// Pushes: CPU of a pod for one delivery, beside a bare ws server that sends the same bytes to the same clients.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { toSocketPayment } from '@payment-tracking/contracts'
import { openRedis } from '@payment-tracking/redis'
import { createDatabase, waitFor } from '@payment-tracking/testkit'
import { epochOf } from '../../../services/realtime/test/use-pods.js'
import type { BenchContext, GateKind } from '../bench.js'
import { cpuMicroseconds } from '../cpu.js'
import { openSocketLoad, paymentFor, type SocketLoad } from '../socket-load.js'
import { startPod } from '../start-pod.js'

const DELIVERIES = 30_000
const SOCKETS = 500
/**
 * What is under way at once: the pace is the clients', the CPU the server's. Large enough to keep the clients
 * busy: on one machine a sender also pays for waking a receiver that has nothing to do, and a slower server
 * would wake it more often.
 */
const WINDOW = 2_000

interface Side {
  pid: number
  load: SocketLoad
  /** sends so many payments to the rooms in turn */
  send(payments: number): Promise<void>
}

async function openPod(context: BenchContext, perRoom: number): Promise<Side> {
  const { databaseUrl, redisUrl } = context.servers
  const database = await createDatabase(context, { serverUrl: databaseUrl })
  // Others may use the same Redis: payments of theirs would count as received already.
  const shared = { REDIS_URL: redisUrl, ENVIRONMENT: `bench-${randomBytes(3).toString('hex')}` }
  const redis = openRedis(shared)
  context.teardown(() => redis.close())
  await once(redis.commands, 'ready')
  const { service, url } = await startPod(context, {
    DATABASE_URL: database.url,
    ...shared,
    // Payments of this bench exist in Redis alone: there is nothing to heal.
    'realtime.healEveryMs': '3600000',
  })
  const epoch = await epochOf(database)
  const rooms = SOCKETS / perRoom
  const load = await openSocketLoad(url, SOCKETS, n => `order-${Math.floor(n / perRoom)}`)
  context.teardown(() => load.close())
  const seqs = Array.from({ length: rooms }, () => 0)
  let turn = 0
  return {
    pid: service.pid,
    load,
    async send(payments) {
      await redis.announce({
        epoch,
        payments: Array.from({ length: payments }, () => {
          const room = turn++ % rooms
          return paymentFor(`order-${room}`, ++seqs[room]!)
        }),
      })
    },
  }
}

async function openRaw(context: BenchContext, perRoom: number): Promise<Side> {
  const child = fork(new URL('../raw-ws-server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
  context.teardown(() => child.kill())
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const load = await openSocketLoad(`http://127.0.0.1:${port}`, SOCKETS, n => `order-${n}`)
  context.teardown(() => load.close())
  const data = toSocketPayment(paymentFor('order-100', 100))
  const message = { type: 'payment_notification', data, timestamp: Date.now() }
  const text = `42${JSON.stringify(['payment', message])}`
  return {
    pid: child.pid!,
    load,
    send: payments => Promise.resolve(void child.send({ perRoom, payments, text })),
  }
}

/** @returns CPU microseconds of the server a delivery */
async function measure(side: Side, perRoom: number): Promise<number> {
  const before = cpuMicroseconds(side.pid)
  const start = side.load.received()
  const batch = WINDOW / perRoom
  for (let sent = 0; sent < DELIVERIES; sent += batch * perRoom) {
    await side.send(batch)
    const expected = start + sent + batch * perRoom
    await waitFor(() => side.load.received() >= expected, { intervalMs: 0, what: 'the deliveries' })
  }
  return (cpuMicroseconds(side.pid) - before) / (side.load.received() - start)
}

export const push = (perRoom: number): GateKind => ({
  rows: [`push, rooms of ${perRoom}`],
  async open(context) {
    const [pod, raw] = [await openPod(context, perRoom), await openRaw(context, perRoom)]
    return [
      {
        name: `push, rooms of ${perRoom}`,
        subject: () => measure(pod, perRoom),
        limit: () => measure(raw, perRoom),
      },
    ]
  },
})
