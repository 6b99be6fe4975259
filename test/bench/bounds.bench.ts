// What a gateway with a long history costs another gateway: the payments of the other one, from the stream to its socket
// and its endpoint, while each thing is done to the first.
import { createDatabase } from '@payment-tracking/testkit'
import { ACTS, isSettled } from '../bounds/acts.js'
import { openBounds } from '../bounds/open-bounds.js'
import { measureOf, type Bench } from './bench.js'

export const bench: Bench = {
  name: 'bounds',
  about: 'what a long history of one gateway costs the payments of another',
  async run(context) {
    const sizes = context.quick
      ? { payments: 600, waiting: 200, deliveries: 20 }
      : { payments: 300_000, waiting: 100_000, deliveries: 10_000 }
    const { redisUrl, natsUrl, databaseUrl } = context.servers
    const database = await createDatabase(context, { serverUrl: databaseUrl })
    const bounds = await openBounds(context, { redisUrl, natsUrl }, database, sizes)
    const rows = []
    for (const act of ACTS) {
      const { doneMs, slowestMs } = await bounds.watch(
        act.name,
        () => act.do(bounds),
        () => (act.isDone === undefined ? isSettled(bounds) : act.isDone(bounds)),
      )
      context.say(`${act.name}: done in ${doneMs} ms, the slowest payment meanwhile took ${slowestMs} ms`)
      rows.push({
        subject: `${act.name}: the slowest payment of another gateway meanwhile`,
        unit: 'ms',
        largerIsBetter: false,
        measured: measureOf([slowestMs]),
        note: `done, with all that followed, in ${doneMs} ms; ${sizes.payments} payments, ${sizes.waiting} waiting`,
      })
    }
    await bounds.stop()
    return rows
  },
}
