import { subjectOf } from '@payment-tracking/contracts'
import { openStore, readStreamHead } from '@payment-tracking/store'
import { createDatabase, natsOptions, startService, waitFor } from '@payment-tracking/testkit'
import { connect } from 'nats'
import { measureOf, percentile, type Bench } from './bench.js'
import { openFeed } from './feed.js'
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
    const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
    context.teardown(() => store.close())
    const connection = await connect(natsOptions(servers.natsUrl))
    context.teardown(() => connection.close())
    const jetstream = connection.jetstream()
    const feed = await openFeed('beside')
    const ingest = await startService(context, 'ingest', {
      DATABASE_URL: database.url,
      REDIS_URL: servers.redisUrl,
      NATS_URL: servers.natsUrl,
      STREAM_NAME: 'BESIDE',
      SUBJECT_PREFIX: 'beside',
    })
    const publish = async (count: number) => {
      const fresh = await feed.next(count)
      for (let start = 0; start < fresh.length; start += 500) {
        const part = fresh.slice(start, start + 500)
        await Promise.all(part.map(({ name, bytes }) => jetstream.publish(subjectOf('beside', name), bytes)))
      }
    }
    const stored = async () => Number((await readStreamHead(store)).position)
    await publish(before)
    await waitFor(async () => (await stored()) >= before, { what: 'the first events', timeoutMs: 120_000 })
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
    await publish(backlog)
    ingest.signal('SIGCONT')
    const busy: number[] = []
    const startedAt = performance.now()
    let isStored = false
    const written = waitFor(async () => (await stored()) >= before + backlog, {
      what: 'the backlog',
      timeoutMs: 120_000,
      intervalMs: 100,
    }).then(() => (isStored = true))
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
