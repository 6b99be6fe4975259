import { waitFor } from '@payment-tracking/testkit'
import { measureOf, percentile, type Bench, type Row } from './bench.js'
import { openWholeSystem, payAtRate, type WholeSystem } from './whole-system.js'

const delaysOf = (system: WholeSystem, arrived: ReadonlyMap<string, number>): number[] =>
  [...system.sentAt].map(([key, sentAt]) => arrived.get(key)! - sentAt)

export const bench: Bench = {
  name: 'end-to-end',
  about:
    "published to JetStream → on the client's socket and at the webhook receiver, through the real services",
  async run(context) {
    const system = await openWholeSystem(context, 'end-to-end')
    const { sentAt, onSocketAt, atReceiverAt } = system
    await payAtRate(system, 100, context.quick ? 0.2 : 5)
    const rows: Row[] = []
    for (const [perSecond, seconds] of context.quick ? [[100, 0.5] as const] : RATES) {
      await waitFor(() => onSocketAt.size >= sentAt.size && atReceiverAt.size >= sentAt.size, {
        what: 'what was sent before',
        timeoutMs: 120_000,
      })
      system.forget()
      await payAtRate(system, perSecond, seconds)
      await waitFor(() => onSocketAt.size >= sentAt.size && atReceiverAt.size >= sentAt.size, {
        what: 'every payment on its socket and at the receiver',
        timeoutMs: 120_000,
      })
      for (const [where, arrived] of [
        ["on the client's socket", onSocketAt],
        ['at the webhook receiver', atReceiverAt],
      ] as const) {
        const delays = delaysOf(system, arrived)
        const shares = [0.5, 0.99, 0.999].map(share => percentile(delays, share))
        context.say(
          `${perSecond}/s, ${where}: ${shares.map(ms => ms.toFixed(1)).join(' / ')} ms (p50 / p99 / p99.9)`,
        )
        rows.push(
          ...shares.map((ms, n) => ({
            subject: `${perSecond.toLocaleString('en')} payments/s, published → ${where}, ${['p50', 'p99', 'p99.9'][n]}`,
            unit: 'ms',
            largerIsBetter: false,
            measured: measureOf([ms]),
            note: 'one of each service, one receiver, one socket for each of 200 tracking IDs, all on this machine; every payment has a webhook',
          })),
        )
      }
    }
    return rows
  },
}

const RATES = [
  [10, 40],
  [100, 30],
  [1_000, 15],
] as const
