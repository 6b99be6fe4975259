// What grows with history: each read, and ingest, over twenty million events beside ten thousand. Filling takes 13 minutes and
// 35 GB of disk.
import { randomUUID } from 'node:crypto'
import { openStore } from '@payment-tracking/store/core'
import { inTurns, type Bench, type BenchContext, type Row } from './bench.js'
import { openFeed } from './feed.js'
import { copyFilled, openFilled, type FilledDatabase } from './fill.js'
import { commitAll, readAll } from './ingest-load.js'
import { addWebhooks } from './ingest-stream.js'
import { load, questions } from './reads-sides.js'
import { startBenchApi } from './start-bench-api.js'

const count = (events: number) => `${events.toLocaleString('en')} events`

/** @returns a turn of reading messages from memory and committing them: events a second */
async function committing(
  context: BenchContext,
  { url, pool }: FilledDatabase,
  messages: number,
): Promise<() => Promise<number>> {
  const store = openStore({ DATABASE_URL: url, poolSize: 1 })
  context.teardown(() => store.close())
  // The large database is too large for a copy, so each run of this bench leaves events in it.
  const feed = await openFeed(randomUUID())
  await addWebhooks(pool, feed)
  return async () => {
    const received = readAll(await feed.next(messages))
    const startedAt = performance.now()
    await commitAll(store, received)
    return (messages / (performance.now() - startedAt)) * 1_000
  }
}

export const bench: Bench = {
  name: 'growth',
  about: 'each read, and ingest, over 20,000,000 events beside 10,000',
  async run(context) {
    const [many, few, rounds] = context.quick ? [2_000, 1_000, 1] : [20_000_000, 10_000, 5]
    const extent = context.quick ? { amount: 50 } : { duration: 1.5 }
    const rows: Row[] = []
    const compare = async (
      subject: string,
      unit: string,
      goal: string,
      ofMany: () => Promise<number>,
      ofFew: () => Promise<number>,
    ) => {
      const measured = await inTurns(rounds, ofMany, ofFew)
      context.say(`${subject}: ${(measured.subject.median / measured.limit.median).toFixed(2)}`)
      rows.push({
        subject: `${subject}, ${count(many)}`,
        unit,
        largerIsBetter: true,
        measured: measured.subject,
        limit: { name: `the same over ${count(few)}`, measured: measured.limit },
        note: goal,
      })
    }
    // Copied before anybody reads it.
    const copy = await copyFilled(context, few)
    const [large, small] = [await openFilled(context, many), await openFilled(context, few)]
    const [ofLarge, ofSmall] = [
      await startBenchApi(context, large.url),
      await startBenchApi(context, small.url),
    ]
    const paths = questions(small.filled, few)
    for (const [question, path] of Object.entries(questions(large.filled, many)).slice(
      0,
      context.quick ? 1 : undefined,
    ))
      for (const connections of [1, 50])
        await compare(
          `${question}, ${connections} at once`,
          'requests/s',
          'goal: a ratio of 1 / 1.3',
          async () => (await load(ofLarge.baseUrl + path, connections, extent)).perSecond,
          async () => (await load(ofSmall.baseUrl + paths[question]!, connections, extent)).perSecond,
        )
    const messages = context.quick ? 500 : 30_000
    await compare(
      'ingest, from memory',
      'events/s',
      'goal: a ratio of 1 / 1.1',
      await committing(context, large, messages),
      await committing(context, copy, messages),
    )
    return rows
  },
}
