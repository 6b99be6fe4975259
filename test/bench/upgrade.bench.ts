// The work of ingest after an upgrade, over a million events of an earlier release, and how long live messages wait
// for this work.
import { setTimeout as sleep } from 'node:timers/promises'
import { areProjectionsOutdated, openStore } from '@payment-tracking/store'
import { natsOptions, type Pool } from '@payment-tracking/testkit'
import { connect } from 'nats'
import { measureOf, percentile, type Bench, type BenchContext, type Row } from './bench.js'
import { openFeed } from './feed.js'
import { copyFilled } from './fill.js'
import { addWebhooks, openBenchStream, startIngest, type BenchStream } from './ingest-stream.js'

const LIVE_PER_SECOND = 50
/** Of an acknowledgement's subject, where the stream's sequence stands. */
const SEQUENCE_AT = 5
const SAY_EVERY_MS = 5_000

/** What tells an earlier release's rows from this release's, and figures that the upgrade must correct. */
const IMITATE_EARLIER_RELEASE = `
  update events set commitment = null where position = 1;
  update ingest_batches set rules = 1;
  delete from projection_upgrades;
  update policies set status = 'wrong';
  update payment_stats set count = count + 1;
  update stream_head set projection_version = 1`

/** Publishes lone messages, and notes the time from each publication to the acknowledgement that follows the commit. */
async function openLiveLoad(context: BenchContext, pool: Pool, stream: BenchStream) {
  const feed = await openFeed('live')
  await addWebhooks(pool, feed)
  const connection = await connect(natsOptions(context.servers.natsUrl))
  context.teardown(() => connection.close())
  const sentAt = new Map<number, number>()
  let waitsMs: number[] = []
  connection.subscribe(`$JS.ACK.${stream.name}.>`, {
    callback: (_, { subject }) => {
      const sequence = Number(subject.split('.')[SEQUENCE_AT])
      const at = sentAt.get(sequence)
      // Later acknowledgements are of a second reading of the stream.
      if (at !== undefined) waitsMs.push(performance.now() - at)
      sentAt.delete(sequence)
    },
  })
  await connection.flush()
  let sequence = 0
  /** @returns the waits of the messages since the last call */
  return async (goesOn: () => boolean): Promise<number[]> => {
    const startedAt = performance.now()
    for (let count = 0; goesOn(); count++) {
      const earlyMs = startedAt + (count * 1_000) / LIVE_PER_SECOND - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      sentAt.set(++sequence, performance.now())
      await stream.publish(await feed.next(1))
    }
    while (sentAt.size > 0) await sleep(10)
    const waits = waitsMs
    waitsMs = []
    return waits
  }
}

async function checkResult(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ wrong: string; counted: string; payments: string }>(
    `select (select count(*) from policies where status = 'wrong') as wrong,
            (select sum(count) from payment_stats where gateway = '' and span = 3600) as counted,
            (select count(*) from events where name = 'PaymentRecord') as payments`,
  )
  const { wrong, counted, payments } = rows[0]!
  if (wrong !== '0' || counted !== payments)
    throw new Error(`${wrong} policies are wrong; ${counted} of ${payments} payments are counted`)
}

export const bench: Bench = {
  name: 'upgrade',
  about: `ingest projects rows of an earlier release again, beside ${LIVE_PER_SECOND} live messages a second`,
  async run(context): Promise<Row[]> {
    const events = context.quick ? 2_000 : 1_000_000
    const { url, pool } = await copyFilled(context, events)
    await pool.query(IMITATE_EARLIER_RELEASE)
    const store = openStore({ DATABASE_URL: url, poolSize: 1 })
    context.teardown(() => store.close())
    const stream = await openBenchStream(context)
    const sendLive = await openLiveLoad(context, pool, stream)
    let isRunning = true
    const live = sendLive(() => isRunning)
    live.catch(() => {})
    await startIngest(context, url, stream)
    const startedAt = performance.now()
    let saidAt = startedAt
    let handled = 0
    while (await areProjectionsOutdated(store)) {
      const { rows } = await pool.query<{ step: string; handled: string }>(
        'select step, handled::text from projection_upgrades order by version desc limit 1',
      )
      for (const row of rows) handled = Number(row.handled)
      if (performance.now() - saidAt > SAY_EVERY_MS) {
        saidAt = performance.now()
        context.say(rows.map(row => `${row.step}: ${row.handled} rows`).join() || 'the upgrade has not begun')
      }
      await sleep(50)
    }
    const seconds = (performance.now() - startedAt) / 1_000
    isRunning = false
    const during = await live
    const endsAt = performance.now() + (context.quick ? 500 : 20_000)
    const after = await sendLive(() => performance.now() < endsAt)
    await checkResult(pool)
    const subject = `upgrade of ${events.toLocaleString('en')} events`
    const wait = (name: string, pick: (waitsMs: readonly number[]) => number): Row => ({
      subject: `${subject}, published → committed of live messages, ${name}`,
      unit: 'ms',
      largerIsBetter: false,
      measured: measureOf([pick(during)]),
      limit: { name: 'after the upgrade', measured: measureOf([pick(after)]) },
    })
    const figure = (name: string, unit: string, value: number, largerIsBetter: boolean): Row => ({
      subject: `${subject}, ${name}`,
      unit,
      largerIsBetter,
      measured: measureOf([value]),
    })
    return [
      figure('whole', 's', seconds, false),
      figure('policies and hours of gateways', 'rows/s', handled / seconds, true),
      wait('p50', waits => percentile(waits, 0.5)),
      wait('p99', waits => percentile(waits, 0.99)),
      wait('longest', waits => Math.max(...waits)),
    ]
  },
}
