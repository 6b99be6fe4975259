import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { toSocketPayment } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import { inTurns, type Bench, type BenchContext, type Row } from './bench.js'
import { openPods } from './realtime-pods.js'
import { cpuMicroseconds, openSocketLoad, paymentFor, type SocketLoad } from './socket-load.js'

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
  // Payments of this bench exist in Redis alone: there is nothing to heal.
  const { pods, signal } = await openPods(context, 1, { HEAL_INTERVAL_MS: '3600000' })
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
      await signal.announce(
        Array.from({ length: payments }, () => {
          const room = turn++ % rooms
          return paymentFor(`order-${room}`, ++seqs[room]!)
        }),
      )
    },
  }
}

async function openRaw(context: BenchContext, perRoom: number): Promise<Side> {
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
async function measure(side: Side, perRoom: number, deliveries: number): Promise<number> {
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

export const bench: Bench = {
  name: 'realtime-fanout',
  about:
    'CPU of a pod for a delivery, Redis and leases in place, beside a bare ws server sending the same bytes',
  async run(context) {
    const rows: Row[] = []
    const deliveries = context.quick ? 10_000 : 100_000
    for (const perRoom of [1, 100]) {
      const [pod, raw] = [await openPod(context, perRoom), await openRaw(context, perRoom)]
      const { subject, limit } = await inTurns(
        context.quick ? 1 : 5,
        () => measure(pod, perRoom, deliveries),
        () => measure(raw, perRoom, deliveries),
      )
      rows.push({
        subject: `CPU for a delivery in rooms of ${perRoom}`,
        unit: 'µs',
        largerIsBetter: false,
        measured: subject,
        limit: { name: 'ws, same bytes', measured: limit },
        note:
          perRoom === 1
            ? 'goal: at most 2 times; the stock adapter costs 3 to 6 times'
            : 'goal: at most 1.43 times (0.7 of the deliveries for the same CPU)',
      })
      pod.load.close()
      raw.load.close()
    }
    return rows
  },
}
