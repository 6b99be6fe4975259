import { createDatabase } from '@payment-tracking/testkit'
import { measureOf, percentile, type Bench } from './bench.js'
import { openFeed } from './feed.js'
import { openBenchStream, startIngest, waitForHead } from './ingest-stream.js'
import { startBenchApi } from './start-bench-api.js'

const SHARE = 0.99

/** One client asks for the payments of one tracking ID after the other while ingest works off a backlog. */
export const bench: Bench = {
  name: 'reads-beside-ingest',
  about:
    'p99 of a tracking-ID lookup while ingest writes at full speed, beside the same when nothing is written',
  async run(context) {
    const { servers } = context
    const [before, backlog, lookUps] = context.quick ? [500, 1_000, 20] : [20_000, 60_000, 500]
    const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
    const feed = await openFeed('beside')
    const stream = await openBenchStream(context)
    const ingest = await startIngest(context, database.url, stream)
    await stream.publish(await feed.next(before))
    await waitForHead(database.pool, before, 120_000)
    const trackings = (
      await database.pool.query<{ trackingId: string }>(
        'select tracking_id as "trackingId" from trackings limit 500',
      )
    ).rows
    const { ask } = await startBenchApi(context, database.url)
    const lookUp = (n: number) =>
      ask(`/v1/onetime/${encodeURIComponent(trackings[n % trackings.length]!.trackingId)}`)
    for (let n = 0; n < lookUps / 10; n++) await lookUp(n)

    const quiet: number[] = []
    for (let n = 0; n < lookUps; n++) quiet.push(await lookUp(n))

    ingest.signal('SIGSTOP')
    await stream.publish(await feed.next(backlog))
    ingest.signal('SIGCONT')
    const busy: number[] = []
    const startedAt = performance.now()
    let isStored = false
    const written = waitForHead(database.pool, before + backlog, 120_000).then(() => (isStored = true))
    for (let n = 0; !isStored; n++) busy.push(await lookUp(n))
    await written
    const perSecond = Math.round((backlog / (performance.now() - startedAt)) * 1000)
    return [
      {
        subject: 'lookup of a tracking ID while ingest writes',
        unit: 'ms p99',
        largerIsBetter: false,
        measured: measureOf([percentile(busy, SHARE)]),
        limit: { name: 'nothing is written', measured: measureOf([percentile(quiet, SHARE)]) },
        note: `${busy.length} lookups beside ${perSecond.toLocaleString('en')} events/s; median ${percentile(busy, 0.5).toFixed(1)} ms`,
      },
    ]
  },
}
