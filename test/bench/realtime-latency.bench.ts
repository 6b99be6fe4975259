import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentMessage } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import { committedPaymentsOf, writePayments } from '../../services/realtime/test/write-payments.js'
import { measureOf, percentile, type Bench } from './bench.js'
import { openPods } from './realtime-pods.js'
import { openSocketLoad } from './socket-load.js'

const PAYMENTS_PER_SECOND = 200
const TRACKING_IDS = 100

export const bench: Bench = {
  name: 'realtime-latency',
  about: `from commit to a client's hand, ${PAYMENTS_PER_SECOND} payments a second over two pods`,
  async run(context) {
    const seconds = context.quick ? 2 : 30
    const { pods, database, redis, epoch, store } = await openPods(context, 2)
    const delays: number[] = []
    const committedAt = new Map<string, number>()
    for (const { url } of pods) {
      const load = await openSocketLoad(url, TRACKING_IDS, n => `order-${n}`)
      context.teardown(() => load.close())
      for (const socket of load.sockets) {
        socket.on('message', (bytes: Buffer) => {
          const text = bytes.toString()
          if (!text.startsWith('42["payment"')) return
          const [, { data }] = JSON.parse(text.slice(2)) as [string, PaymentMessage]
          delays.push(performance.now() - committedAt.get(`${data.trackingId} ${data.seq}`)!)
        })
      }
    }
    const total = seconds * PAYMENTS_PER_SECOND
    const startedAtMs = performance.now()
    const pay = async (n: number) => {
      const trackingId = `order-${n % TRACKING_IDS}`
      const seqs = await writePayments(database.pool, { trackingId })
      for (const seq of seqs) committedAt.set(`${trackingId} ${seq}`, performance.now())
      await redis.announce({ epoch, payments: await committedPaymentsOf(store, trackingId, seqs) })
    }
    const paying: Promise<void>[] = []
    for (let n = 0; n < total; n++) {
      const dueMs = startedAtMs + (n * 1_000) / PAYMENTS_PER_SECOND
      if (dueMs > performance.now()) await sleep(dueMs - performance.now())
      paying.push(pay(n))
    }
    await Promise.all(paying)
    await waitFor(() => delays.length === total * pods.length, { what: 'every payment at both pods' })
    return [0.5, 0.99].map(share => ({
      subject: `committed → received, p${share * 100}`,
      unit: 'ms',
      largerIsBetter: false,
      measured: measureOf([percentile(delays, share)]),
      note: 'goal: p99 50 ms; the payment is read again from Postgres and announced within this time',
    }))
  },
}
