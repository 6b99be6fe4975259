// What a plain payment writes: each table is a statement, its indexes and its part of the log of Postgres.
import { buildBatch, buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { commitBatch } from '../../src/ingest/batch/commit-batch.js'
import { openTestStore } from '../open-test-store.js'

const TIME = Date.parse('2026-03-01T12:00:00.000Z')

t.test('a payment of a known policy, of a gateway without webhooks, writes eight tables', async t => {
  const { store, pool } = await openTestStore(t)
  const chain = buildChain({ seed: 'written tables', firstSlot: 1_000_000, now: () => TIME })
  const [gateway, account] = [await chain.openGateway(), await chain.openUserPayment()]
  const policy = await chain.openPolicy(gateway, account, { trackingId: 'plain' })
  await commitBatch(store, buildBatch([gateway.created, account.created, policy.created, chain.pay(policy)]))
  await commitBatch(store, buildBatch([chain.pay(policy)]))
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const wrote = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await pool.query(
        `select from ${name} where xmin = (select xmin from events order by position desc limit 1)`,
      )
      return rowCount ? [name] : []
    }),
  )
  t.strictSame(wrote.flat(), [
    ...['event_counts', 'events', 'ingest_batches', 'messages'],
    ...['payment_token_stats', 'policies', 'stream_head', 'trackings'],
  ])
})
