import { setImmediate } from 'node:timers/promises'
import { waitFor } from '@payment-tracking/testkit'
import { inTurns, measureOf, type Bench, type BenchContext, type Row } from './bench.js'
import { cpuMicroseconds } from './cpu.js'
import { measureBusy, openPod, openRaw, SOCKETS, WINDOW, type Side } from './fanout-sides.js'
import { openPods } from './realtime-pods.js'
import { openSocketLoad, paymentFor, residentKib } from './socket-load.js'

/** The pace of the steady row. */
const STEADY_PER_SECOND = 2_000

/**
 * Processes of each side, which take turns: of one program one process is compiled a little better than the
 * next, and stays so.
 */
const PAIRS = 3

/**
 * One payment after the other at an even pace, so that each wakes the server alone.
 * @returns CPU microseconds of the server a delivery
 */
async function measureSteady(side: Side, payments: number): Promise<number> {
  const before = cpuMicroseconds(side.pid)
  const start = side.load.received()
  const startedAtMs = performance.now()
  for (let sent = 0; sent < payments; sent++) {
    const dueMs = startedAtMs + (sent * 1_000) / STEADY_PER_SECOND
    while (performance.now() < dueMs) await setImmediate()
    void side.send(1)
  }
  await waitFor(() => side.load.received() >= start + payments, { intervalMs: 1, what: 'the deliveries' })
  return (cpuMicroseconds(side.pid) - before) / payments
}

/** @returns CPU microseconds of a pod for a payment that none of its sockets waits for */
async function measureForeign(context: BenchContext, payments: number): Promise<number[]> {
  const { pods, redis, epoch } = await openPods(context, 1, { 'realtime.healEveryMs': '3600000' })
  const { service, url } = pods[0]!
  const load = await openSocketLoad(url, SOCKETS, n => `order-${n}`)
  context.teardown(() => load.close())
  const figures: number[] = []
  for (let round = 1; round <= (context.quick ? 1 : 5); round++) {
    const before = cpuMicroseconds(service.pid)
    for (let sent = 0; sent < payments; sent += WINDOW) {
      await redis.announce({
        epoch,
        payments: Array.from({ length: WINDOW }, (_, n) => paymentFor(`elsewhere-${sent + n}`, round)),
      })
    }
    // Redis keeps the order: when this one is here, all before it were read.
    await redis.announce({ epoch, payments: [paymentFor('order-0', round)] })
    await waitFor(() => load.received() >= round, { what: 'the last payment' })
    figures.push((cpuMicroseconds(service.pid) - before) / payments)
  }
  load.close()
  return figures
}

async function steadyRow(context: BenchContext, pairs: { pod: Side; raw: Side }[]): Promise<Row> {
  const payments = STEADY_PER_SECOND * (context.quick ? 1 : 5)
  const { subject, limit } = await inTurns(
    context.quick ? 1 : 2 * PAIRS,
    round => measureSteady(pairs[round % pairs.length]!.pod, payments),
    round => measureSteady(pairs[round % pairs.length]!.raw, payments),
  )
  return {
    subject: `CPU for a delivery in rooms of 1, ${STEADY_PER_SECOND} payments a second, one by one`,
    unit: 'µs',
    largerIsBetter: false,
    measured: subject,
    limit: { name: 'ws, same bytes', measured: limit },
    note: 'goal: at most 1.4 times; waking for one payment is most of it',
  }
}

const fanout: Bench = {
  name: 'realtime-fanout',
  about:
    'CPU of a pod for a delivery, Redis and leases in place, beside a bare ws server sending the same bytes',
  async run(context) {
    const rows: Row[] = []
    const deliveries = context.quick ? 10_000 : 100_000
    for (const perRoom of [1, 100]) {
      const pairs: { pod: Side; raw: Side }[] = []
      for (let n = 0; n < (context.quick ? 1 : PAIRS); n++) {
        const pair = { pod: await openPod(context, perRoom), raw: await openRaw(context, perRoom) }
        for (const side of Object.values(pair)) await measureBusy(side, perRoom, deliveries)
        pairs.push(pair)
      }
      const { subject, limit } = await inTurns(
        context.quick ? 1 : 3 * PAIRS,
        round => measureBusy(pairs[round % pairs.length]!.pod, perRoom, deliveries),
        round => measureBusy(pairs[round % pairs.length]!.raw, perRoom, deliveries),
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
      if (perRoom === 1) rows.push(await steadyRow(context, pairs))
      for (const { pod, raw } of pairs) {
        pod.load.close()
        raw.load.close()
      }
    }
    rows.push({
      subject: 'CPU for a payment nobody on the pod waits for',
      unit: 'µs',
      largerIsBetter: false,
      measured: measureOf(await measureForeign(context, deliveries)),
      note: 'every pod hears of every payment: a look-up each',
    })
    return rows
  },
}

const connections: Bench = {
  name: 'realtime-connections',
  about: 'memory of a pod for an idle connection with one subscription',
  async run(context) {
    // Each connection is a file on both sides, and one machine has 28,000 ports to one address.
    const count = context.quick ? 500 : 10_000
    const kibs: number[] = []
    const rates: number[] = []
    // When garbage was collected last differs from pod to pod.
    for (let pod = 1; pod <= (context.quick ? 1 : 3); pod++) {
      const { pods } = await openPods(context, 1)
      const { service, url } = pods[0]!
      const warm = await openSocketLoad(url, 200, n => `warm-${n}`)
      warm.close()
      const before = residentKib(service.pid)
      const startedAtMs = performance.now()
      const load = await openSocketLoad(url, count, n => `order-${n}`)
      rates.push((count / (performance.now() - startedAtMs)) * 1_000)
      kibs.push((residentKib(service.pid) - before) / count)
      load.close()
      await service.stop('SIGKILL')
    }
    return [
      {
        subject: `memory for an idle connection, of ${count.toLocaleString('en')}`,
        unit: 'KiB',
        largerIsBetter: false,
        measured: measureOf(kibs),
        note: 'goal: 25 KiB at 10,000; resident memory of the process, kernel buffers not counted',
      },
      {
        subject: 'connected and subscribed, sequence of 100 at a time',
        unit: 'a second',
        largerIsBetter: true,
        measured: measureOf(rates),
      },
    ]
  },
}

export const benches = [fanout, connections]
