// The two sides of the rows of pushes: a pod, and a bare ws server that sends the same bytes to the same clients.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { toSocketPayment } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'
import { cpuMicroseconds } from './cpu.js'
import { openPods } from './realtime-pods.js'
import { openSocketLoad, paymentFor, type SocketLoad } from './socket-load.js'

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

export async function openPod(context: BenchContext, perRoom: number): Promise<Side> {
  // Payments of this bench exist in Redis alone: there is nothing to heal.
  const { pods, redis, epoch } = await openPods(context, 1, { 'realtime.healEveryMs': '3600000' })
  const { service, url } = pods[0]!
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

export async function openRaw(context: BenchContext, perRoom: number): Promise<Side> {
  const child = fork(fileURLToPath(new URL('raw-ws-server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
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
export async function measureBusy(side: Side, perRoom: number, deliveries: number): Promise<number> {
  const before = cpuMicroseconds(side.pid)
  const start = side.load.received()
  const batch = WINDOW / perRoom
  for (let sent = 0; sent < deliveries; sent += batch * perRoom) {
    await side.send(batch)
    const expected = start + sent + batch * perRoom
    await waitFor(() => side.load.received() >= expected, { intervalMs: 0, what: 'the deliveries' })
  }
  return (cpuMicroseconds(side.pid) - before) / (side.load.received() - start)
}
