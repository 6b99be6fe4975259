// The rows that retention removes, and the rows that it must never remove.
import { withClient } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/core/database/open-store.js'
import { PRUNED_TABLES, pruneStep, type PrunedTable } from '../../src/ingest/retention/prune.js'
import { redeliverOne } from '../../src/deliveries/replay/redeliver.js'
import { openTestStore } from '../open-test-store.js'

const LIMITS = { batchDays: 90, deadLetterDays: 180, apiKeyDays: 365, limit: 100 }

t.test('retention', async t => {
  const { store, database, pool } = await openTestStore(t)
  const prune = async (table: PrunedTable, limit = LIMITS.limit) =>
    (await pruneStep(store, table, { ...LIMITS, limit }))?.removed
  const left = async (query: string) =>
    (await pool.query<{ key: string }>(query)).rows.map(({ key }) => key).sort()

  t.test('removes batches that were relayed long ago, and no batch that waits for the relay', async t => {
    await pool.query(
      `insert into ingest_batches (first_position, last_position, committed_at, relayed_at) values
         (1, 1, now() - interval '91 d', now()), (2, 2, now() - interval '91 d', null),
         (3, 3, now() - interval '89 d', now()), (4, 4, now() - interval '91 d', now())`,
    )
    t.equal(await prune('ingest_batches'), 2)
    t.same(await left('select first_position::text as key from ingest_batches'), ['2', '3'])
  })

  t.test('removes messages 30 days after the last delivery, and says where a feed begins', async t => {
    await pool.query(
      `with w as (insert into webhooks (gateway, endpoint_url, secret) values ('log', 'https://x.example/', 's') returning id),
            m as (insert into messages (gateway, position, sequence, type, message_id, event_id, body, notified_at)
                  values ('log', 7, 0, 'payment.executed', 'old', gen_random_uuid(), '{}', now() - interval '32 d'),
                         ('log', 8, 0, 'payment.executed', 'sent', gen_random_uuid(), '{}', now() - interval '32 d'),
                         ('log', 8, 1, 'webhook.failing', 'told', null, '{}', now() - interval '32 d'),
                         ('log', null, null, 'webhook.test', 'test', null, '{}', now() - interval '32 d'),
                         ('log', 9, 0, 'payment.executed', 'young', gen_random_uuid(), '{}', now() - interval '30 d')
                  returning *)
       insert into deliveries (webhook_id, event_id, message_id, type, message)
       select w.id, m.event_id, m.message_id, m.type, m.id from w, m where m.message_id in ('sent', 'told')`,
    )
    const begins = () => left('select messages_begin::text as key from stream_head')
    t.equal(await prune('messages'), 2)
    t.same(await left('select message_id as key from messages'), ['sent', 'told', 'young'])
    t.same(await begins(), ['8'])
    await pool.query('delete from deliveries')
    t.equal(await prune('messages'), 2)
    t.same(await begins(), ['9'])
    await pool.query(`delete from messages; delete from webhooks; update stream_head set messages_begin = 0`)
  })

  t.test('removes old dead letters, and never a good message that a bug of ingest refused', async t => {
    const letter = (key: string, code: string, receivedDays: number, replayedDays: number | null) =>
      pool.query(
        `insert into dead_letters (stream, stream_created_at, stream_sequence, subject, code, reason, bytes, size,
           received_at, replayed_at)
         values ($1, now(), 1, 's', $2, 'r', '', 0, now() - make_interval(days => $3),
           now() - make_interval(days => $4))`,
        [key, code, receivedDays, replayedDays],
      )
    await letter('old', 'NOT_JSON', 181, null)
    await letter('new', 'NOT_JSON', 179, null)
    await letter('replayed lately', 'NOT_JSON', 400, 10)
    await letter('replayed long ago', 'NOT_JSON', 400, 181)
    await letter('fault', 'INGEST_FAULT', 4_000, null)
    await letter('replayed fault', 'INGEST_FAULT', 4_000, 181)
    t.equal(await prune('dead_letters'), 3)
    t.same(await left('select stream as key from dead_letters'), ['fault', 'new', 'replayed lately'])
  })

  t.test('removes closed gaps, and no open gap', async t => {
    await pool.query(
      `insert into gaps (from_slot, to_slot, reason, received_at, closed_at) values
         (1, 1, 'r', now() - interval '9 y', null), (2, 2, 'r', now(), now() - interval '181 d'),
         (3, 3, 'r', now(), now() - interval '179 d')`,
    )
    await pool.query(
      `insert into stream_gaps (stream, stream_created_at, from_sequence, to_sequence, closed_at)
       values ('s', now(), 1, 1, null), ('s', now(), 2, 2, now() - interval '181 d')`,
    )
    t.equal(await prune('gaps'), 1)
    t.equal(await prune('stream_gaps'), 1)
    t.same(await left('select from_slot::text as key from gaps'), ['1', '3'])
    t.same(await left('select from_sequence::text as key from stream_gaps'), ['1'])
  })

  t.test('removes API keys that retired long ago, and no key that works or was used lately', async t => {
    const key = (name: string, revokedDays: number | null, expiredDays: number | null) =>
      pool.query(
        `insert into api_keys (gateway, name, scopes, hash, hint, created_by, signer_since, created_at, revoked_at, expires_at)
         values ('g', $1, '{}', $1, 'h', 'w', '', now() - interval '9 y', now() - make_interval(days => $2),
                 now() - make_interval(days => $3))`,
        [name, revokedDays, expiredDays],
      )
    await key('in use', null, null)
    await key('in use until next year', null, -365)
    await key('revoked', 366, null)
    await key('revoked long ago, to expire next year', 366, -365)
    await key('expired', null, 366)
    await key('revoked lately', 364, null)
    await key('expired lately', null, 364)
    t.equal(await prune('api_keys'), 3)
    t.same(await left('select name as key from api_keys'), [
      ...['expired lately', 'in use', 'in use until next year', 'revoked lately'],
    ])
  })

  t.test('removes notices of dates that passed long ago, and none of a current date', async t => {
    await pool.query(
      `insert into policies (address, live, incarnation_start, next_payment_due) values ('paid', true, '1', 2000),
         ('unpaid', true, '1', 1000), ('ended', true, '1', 2000), ('once', true, '1', null), ('gone', false, '1', 1000)`,
    )
    const notice = (policy: string, incarnation: string, type: string, days: number) =>
      pool.query(
        `insert into policy_notices (policy, incarnation_start, type, at, notified_at)
         values ($1, $2, $3, 1000, now() - make_interval(days => $4))`,
        [policy, incarnation, type, days],
      )
    await notice('paid', '1', 'subscription.overdue', 91)
    await notice('paid', '1', 'subscription.due_soon', 89)
    await notice('unpaid', '1', 'subscription.overdue', 4_000)
    await notice('unpaid', '0', 'subscription.overdue', 91)
    await notice('ended', '1', 'subscription.expired', 4_000)
    await notice('once', '1', 'subscription.overdue', 4_000)
    await notice('gone', '1', 'subscription.overdue', 91)
    t.equal(await prune('policy_notices'), 3)
    t.same(await left('select policy || incarnation_start || type as key from policy_notices'), [
      'ended1subscription.expired',
      'once1subscription.overdue',
      'paid1subscription.due_soon',
      'unpaid1subscription.overdue',
    ])
  })

  t.test('runs in one process at a time', async t => {
    await pool.query('truncate ingest_batches')
    await pool.query(
      `insert into ingest_batches (first_position, last_position, committed_at, relayed_at)
       values (1, 1, now() - interval '1 y', now())`,
    )
    await withClient(database.url, async client => {
      await client.query('begin')
      const other = openStore({ DATABASE_URL: database.url, poolSize: 1 })
      t.teardown(() => other.close())
      await client.query('select pg_advisory_xact_lock(741120261122)')
      for (const table of PRUNED_TABLES) t.equal(await pruneStep(other, table, LIMITS), null, table)
      await client.query('rollback')
    })
    t.equal(await prune('ingest_batches'), 1)
  })

  t.test('every table is pruned, or is listed as permanent', async t => {
    const FOR_EVER = [
      '_prisma_migrations',
      // the truth, what follows from it, and what keeps repetitions out
      'events',
      'archive_parts',
      'archive_problem',
      'expectation_counts',
      'expectations',
      'expected_payments',
      'gateways',
      'gateway_settings',
      'redelivery_counts',
      'policies',
      'program_facts',
      'retractions',
      'stream_head',
      'earlier_epochs',
      'trackings',
      'user_payments',
      // at most one row for each wallet that dealt with the gateway
      'customer_names',
      // one row a deployment
      'lease_uses',
    ]
    /** removed by the statement that makes them useless, or by the worker */
    const ELSEWHERE = [
      ...['announcements', 'deliveries', 'delivery_attempts', 'ended_ops_sessions', 'work', 'quarantine'],
      ...['processes', 'gateway_sessions', 'webhooks', 'waiting_messages', 'gateway_changes'],
    ]
    const tableNames = await left(`select tablename as key from pg_tables where schemaname = 'public'`)
    t.same(tableNames, [...FOR_EVER, ...ELSEWHERE, ...PRUNED_TABLES].sort())
  })

  t.test('a delivery cannot be sent again without limit', async t => {
    const { rows } = await pool.query<{ id: string; webhook_id: string }>(
      `with hook as (insert into webhooks (gateway, endpoint_url, secret) values ('g', 'https://x.example/', 's') returning id)
       insert into deliveries (webhook_id, message_id, type, message, state, attempts_made, tries_allowed)
       select id, 'm', 'webhook.test', 0, 'failed', 999, 999 from hook returning id, webhook_id`,
    )
    const { id, webhook_id: webhookId } = rows[0]!
    t.equal((await redeliverOne(store, BigInt(webhookId), BigInt(id))).length, 1)
    await pool.query(`update deliveries set state = 'failed', attempts_made = 1003 where id = $1`, [id])
    t.same(await redeliverOne(store, BigInt(webhookId), BigInt(id)), [])
  })
})
