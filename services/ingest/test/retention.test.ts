import { countRows, startService, useEnvironment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

t.test('ingest prunes by its settings, and counts the removed rows', async t => {
  const { database, settings } = await useEnvironment(t)
  await database.pool.query(
    `insert into ingest_batches (first_position, last_position, committed_at, relayed_at)
     select n, n, now() - make_interval(days => 2), now() from generate_series(1, 2500) n`,
  )
  const ingest = await startService(t, 'ingest', {
    ...settings,
    'ingest.batchRetentionDays': '1',
    'ingest.retentionEveryMs': '100',
  })
  const count = () => countRows(database.pool, 'ingest_batches')
  // Rows are counted at the end of a round, after the last of them is gone.
  const pruned = () => ingest.figure('payment_tracking_pruned_rows_total{table="ingest_batches"}')
  await waitFor(async () => (await pruned()) === 2_500, { what: '2,500 counted rows' })
  t.equal(await count(), 0)
})
