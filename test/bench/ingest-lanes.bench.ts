// The two ways that `commitBatch` has to store a batch, in turns, over the same kind of events: Prisma's `$transaction`,
// and the extension of Prisma's client that runs the statements through pg. The store chooses by the size of a batch.
import { openStore } from '@payment-tracking/store'
import { inTurns, type Bench, type Row } from './bench.js'
import { openFeed } from './feed.js'
import { copyFilled } from './fill.js'
import { commitAll, receive } from './ingest-load.js'
import { addWebhooks, MIX } from './ingest-stream.js'

/** Messages of a batch, and how many messages one turn stores. */
const SIZES = [
  { size: 2_000, messages: 8_000 },
  { size: 1_000, messages: 4_000 },
  { size: 50, messages: 500 },
  { size: 1, messages: 50 },
]

export const bench: Bench = {
  name: 'ingest-lanes',
  about:
    "batches stored from memory, through Prisma's $transaction and through the extension of Prisma's client",
  async run(context) {
    const { url, pool } = await copyFilled(context, context.quick ? 1_000 : 100_000)
    const store = openStore({ DATABASE_URL: url, poolSize: 2 })
    context.teardown(() => store.close())
    const rows: Row[] = []
    for (const { size, messages } of SIZES) {
      const feed = await openFeed(`batches of ${size}`)
      await addWebhooks(pool, feed)
      const count = context.quick ? size : messages
      const rateOf = async (bulkFrom: number) => {
        const received = await receive(feed, count)
        const startedAt = performance.now()
        await commitAll(store, received, size, bulkFrom)
        return (count / (performance.now() - startedAt)) * 1_000
      }
      const { subject, limit } = await inTurns(
        context.quick ? 1 : 6,
        () => rateOf(0),
        () => rateOf(Infinity),
      )
      context.say(`batches of ${size}: ${(subject.median / limit.median).toFixed(2)}`)
      rows.push({
        subject: `batches of ${size.toLocaleString('en')} through Prisma's $transaction`,
        unit: 'events/s',
        largerIsBetter: true,
        measured: subject,
        limit: { name: 'the same batches through the extension', measured: limit },
        note: MIX,
      })
    }
    return rows
  },
}
