import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@payment-tracking/testkit'
import { SteadyClient } from '../../services/realtime/test/steady-client.js'
import { committedPaymentsOf, writePayments } from '../../services/realtime/test/write-payments.js'
import { measureOf, percentile, type Bench } from './bench.js'
import { openPods } from './realtime-pods.js'

const DROP_MS = 2_000
const TRACKING_IDS = 20

export const bench: Bench = {
  name: 'realtime-drop',
  about: 'every client loses its connection for 2 s under load: what arrives, and how soon it has caught up',
  async run(context) {
    const count = context.quick ? 40 : 1_000
    const { pods, database, redis, epoch, store } = await openPods(context, 2)
    let reachable = true
    const clients = Array.from(
      { length: count },
      (_, n) =>
        new SteadyClient(context, {
          trackingId: `order-${n % TRACKING_IDS}`,
          // A port where nobody listens: the network is gone.
          url: () => (reachable ? pods[n % pods.length]!.url : 'http://127.0.0.1:9'),
        }),
    )
    await waitFor(() => clients.every(({ caughtUp }) => caughtUp), { timeoutMs: 60_000 })
    const heads = new Map<string, number>()
    let paying = true
    const payer = (async () => {
      for (let n = 0; paying; n++) {
        const trackingId = `order-${n % TRACKING_IDS}`
        const seqs = await writePayments(database.pool, { trackingId })
        await redis.announce({ epoch, payments: await committedPaymentsOf(store, trackingId, seqs) })
        heads.set(trackingId, seqs.at(-1)!)
        await sleep(5)
      }
    })()
    await sleep(1_000)
    reachable = false
    for (const client of clients) {
      client.replayMs.length = 0
      client.drop()
    }
    await sleep(DROP_MS)
    reachable = true
    await waitFor(() => clients.every(({ caughtUp }) => caughtUp), { what: 'all back', timeoutMs: 60_000 })
    await sleep(1_000)
    paying = false
    await payer
    const expected = clients.reduce((sum, { trackingId }) => sum + heads.get(trackingId)!, 0)
    const delivered = () => clients.reduce((sum, { applied }) => sum + applied.length, 0)
    await waitFor(() => delivered() >= expected, { what: 'every payment' }).catch(() => {})
    const replays = clients.flatMap(({ replayMs }) => replayMs)
    return [
      {
        subject: `delivered to ${count.toLocaleString('en')} clients`,
        unit: '%',
        largerIsBetter: true,
        measured: measureOf([(delivered() / expected) * 100]),
        note: 'goal: 100',
      },
      {
        subject: 'connected again → caught up, p99',
        unit: 'ms',
        largerIsBetter: false,
        measured: measureOf([percentile(replays, 0.99)]),
        note: 'goal: below 1,000; all clients come back within 100 ms of each other',
      },
    ]
  },
}
