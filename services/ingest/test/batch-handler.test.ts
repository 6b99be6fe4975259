import { createLogger, createMetrics } from '@payment-tracking/runtime'
import type { CommittedChanges } from '@payment-tracking/store/ingest'
import { openTestStore, readFixtureMessages } from '@payment-tracking/testkit'
import t from 'tap'
import { buildBatchHandler, redeliveryDelayMs } from '../src/pipeline/build-batch-handler.js'
import { createIngestMetrics } from '../src/ingest-metrics.js'
import { PROGRAM } from './ingest-messages.js'

t.test('an uncommitted batch is given back to the stream, and is neither announced nor enqueued', async t => {
  const { store, pool } = await openTestStore(t)
  const relayed: (readonly CommittedChanges[])[] = []
  const handle = buildBatchHandler({
    store,
    relay: { start: committed => void relayed.push(committed) },
    guard: { serverRun: async () => undefined as never, doubt: () => {}, keep: async () => {} },
    program: PROGRAM,
    metrics: createIngestMetrics(createMetrics()),
    log: createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' }),
  })
  const messages = (await readFixtureMessages()).slice(0, 20).map((bytes, index) => ({
    bytes,
    subject: 's',
    streamSequence: index + 1,
    deliveries: 1,
  }))
  const stream = { name: 'TEST', createdAt: new Date(0) }

  // The last statement of the transaction fails, so Postgres must undo all earlier statements.
  await pool.query('alter table ingest_batches rename to away')
  const redeliver = await handle(messages, stream)
  t.ok(redeliver && redeliver.redeliverAfterMs > 0, 'the messages come again')
  t.strictSame(relayed, [])
  t.equal((await pool.query('select 1 from events')).rowCount, 0)
  t.equal((await pool.query('select 1 from dead_letters')).rowCount, 0)

  await pool.query('alter table away rename to ingest_batches')
  t.equal(await handle(messages, stream), undefined, 'now they may be acknowledged')
  t.equal(relayed.length, 1)
  t.ok((await pool.query('select 1 from events')).rowCount! > 0)
})

t.test('after an outage of any length, its messages come again within seconds', async t => {
  for (const failures of [1, 2, 10, 1_000, 1_000_000]) {
    const delayMs = redeliveryDelayMs(failures)
    t.ok(delayMs >= 375 && delayMs <= 6_250, `${failures} failures: ${delayMs} ms`)
  }
})
