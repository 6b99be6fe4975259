// No task reads or writes more rows than its page, times a small constant, however many are stored behind one key: each
// task runs once over long histories, and Postgres says how many rows each of its statements took.
import { analyzeAll, createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../src/core/database/open-store.js'
import { beginRedelivery } from '../src/deliveries/replay/redeliver.js'
import { beginReplay } from '../src/deliveries/replay/replay-missing.js'
import { countDeadLetters, listDeadLetters } from '../src/admin/ops/dead-letters.js'
import {
  countDeliveries,
  findRedeliverable,
  listFailedDeliveries,
} from '../src/admin/ops/failed-deliveries.js'
import { countGaps, listGaps } from '../src/admin/ops/gaps.js'
import { countOpenStreamGaps } from '../src/core/tables/stream-gaps.js'
import { countQuarantined, listQuarantined } from '../src/core/quarantine/quarantined-rows.js'
import { countWebhookWork, listTasks, listWebhookWork } from '../src/admin/ops/work-progress.js'
import { createGatewaySession } from '../src/admin/sessions/create-gateway-session.js'
import {
  deactivateWebhooks,
  findWebhooksOfDeletedGateways,
  noteWebhookHealth,
} from '../src/deliveries/deactivate-webhooks.js'
import { doWebhookWork } from '../src/deliveries/webhook-work.js'
import { listGatewaySessions } from '../src/admin/sessions/use-gateway-session.js'
import { PRUNED_TABLES, pruneStep } from '../src/ingest/retention/prune.js'
import { readFirstEvent } from '../src/reads/lists/read-first-event.js'
import { listProcesses, reportProcess } from '../src/core/processes/process-rows.js'
import { readDelays } from '../src/core/processes/read-delays.js'
import {
  readOldestAwaitingDetailsSeconds,
  readOldestUndeliveredSeconds,
} from '../src/core/tables/oldest-waits.js'
import { readOldestOutboxSeconds, sweepBatches } from '../src/ingest/outbox/outbox-batches.js'
import { readOverview } from '../src/reads/lists/read-overview.js'
import { readRecentRetractions } from '../src/reads/realtime/read-retractions.js'
import { readWaits } from '../src/admin/webhooks/read-waits.js'
import { readWork } from '../src/ingest/batch/do-work.js'
import { recoverFailed } from '../src/deliveries/recover.js'
import { removeOldDeliveries } from '../src/deliveries/remove-old-deliveries.js'
import { revokeKeysOfDeletedGateways } from '../src/core/tables/revoke-keys.js'
import { sweepAnnouncements } from '../src/ingest/outbox/announcements.js'
import { sweepDeliveries } from '../src/deliveries/sweep-deliveries.js'
import { notifyDuePolicies, type CachedAsks } from '../src/messages/clock/notify-due-policies.js'
import { listFailingWebhooks } from '../src/admin/ops/failing-webhooks.js'
import { updateWebhook } from '../src/admin/webhooks/update-webhook.js'
import { deleteWebhooks } from '../src/admin/webhooks/webhook-records.js'
import { rotateWebhookSecret } from '../src/admin/webhooks/webhook-secrets.js'
import { readHealth } from '../src/admin/webhooks/read-health.js'
import { notifyFailures } from '../src/messages/clock/notify-failures.js'
import type { Explained } from './plans/explain.js'
import { explainedStore, SIZE } from './plans/explained-store.js'

/** Behind each key: a statement that reads them all is found. */
const MANY = 30_000 * SIZE
/** The largest page is 500 rows, and takes a few probes for each. */
const MOST_ROWS = 5_500
/** What looks at 10,000 rows of one table, and may take a probe or two for each. */
const MOST_OF: Record<string, number> = {
  'a page of due dates of a gateway that nothing is known of': 20_500,
  'sweep of deliveries': 6_500,
  'age of the oldest delivery': 10_500,
  'age of the oldest wait': 10_500,
  'how late the service is': 10_600,
  'the count of work': 10_500,
  // The newest of a day, which it counts up to 10,000.
  'the figures of the start page': 10_000,
  'the pages of operators': 30_500,
}
t.setTimeout(600_000 * SIZE)

const database = await createDatabase(t)
const { pool } = database
// As the worker opens its store.
const opened = openStore({ DATABASE_URL: database.url, poolSize: 3, keepToIndexes: true })
t.teardown(() => opened.close())
let read: Explained[] = []
const store = explainedStore(opened, each => void read.push(each))

/** Of all events: what Postgres expects of a minute must not depend on how long the test has run. */
const PAID_AT = new Date()
const TYPES = ['payment.executed', 'webhook.failing', 'subscription.due_soon', 'subscription.overdue']
const add = async (over: string, values: unknown[] = []): Promise<bigint> => {
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhooks (gateway, endpoint_url, secret, event_types, recover${over === '' ? '' : ', '}${over})
     values ('g', 'http://127.0.0.1:9/', 'whsec_', $1, true${values.map((_, n) => `, $${n + 2}`).join('')}) returning id`,
    [TYPES, ...values],
  )
  return BigInt(rows[0]!.id)
}
const [inactive, drowning, off, owned, failing, old] = [
  await add('active', [false]),
  await add(''),
  await add(''),
  await add(''),
  await add('failing_since, lost_at', [new Date(0), new Date(0)]),
  await add('deleted_at', [new Date(0)]),
]
const deliveries = (webhook: bigint, state: string, more: string) =>
  pool.query(
    `with m as (insert into messages (gateway, type, message_id, event_id, body)
       select 'g', 'payment.executed', $2 || n, gen_random_uuid(), '{}' from generate_series(1, $3::int) n returning *)
     insert into deliveries (webhook_id, event_id, message_id, type, message, state, due_at, opened_at, created_at, attempts_made,
                             finished_at)
     select $1, event_id, message_id, type, id, $2, now() - interval '1 h',
            now() - interval '2 h', now() - interval '2 h', 4, ${more}
       from m`,
    [webhook, state, MANY],
  )
await deliveries(inactive, 'failed', `now() - interval '1 h'`)
await deliveries(drowning, 'pending', 'null')
await deliveries(drowning, 'failed', `now() - interval '1 h'`)
await deliveries(off, 'waiting', 'null')
await deliveries(owned, 'waiting', 'null')
await deliveries(failing, 'failed', `now() - interval '1 h'`)
await deliveries(old, 'delivered', `now() - interval '90 days'`)
await pool.query(
  `insert into waiting_messages (webhook_id, message_id, event_id, policy, slot, type, waits_for)
   select $1, 'w' || n, gen_random_uuid(), 'p', n, 'payment.executed', 'details' from generate_series(1, $2::int) n`,
  [drowning, MANY],
)
await pool.query(
  `insert into policies (address, user_payment, incarnation_start, gateway, recipient, policy_id, policy_type, created_at, updated_at,
                         live, status, due_at, next_payment_due)
   select 'policy ' || n, 'u', '', 'g', 'r', n, '{"Subscription":{}}', n, n, true, 'active', n, n
     from generate_series(1, $1::int) n`,
  [MANY],
)
await pool.query(
  `insert into policy_notices (policy, incarnation_start, type, at, notified_at)
   select 'policy ' || n, '', 'subscription.overdue', n, '2020-01-01' from generate_series(2, $1::int) n`,
  [MANY],
)
await pool.query(
  `insert into ingest_batches (first_position, last_position, committed_at)
   select n, n, '2020-01-01' from generate_series(1, $1::int) n`,
  [MANY],
)
await pool.query(
  `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                       stream_sequence, gateway, payment_policy, amount, paid_at, record_id, tracking_id, seq, retracted_at)
   select gen_random_uuid(), n, n, 's' || n, n, 'PaymentRecord', '{}', 'confirmed', $2, gen_random_uuid(), n, 'g', 'p', 1, 1,
          n, 'order', n, now() - interval '1 h' + n * interval '0.4 ms'
     from generate_series(1, $1::int) n`,
  [MANY, PAID_AT],
)
await pool.query(
  `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                       stream_sequence, gateway, payment_policy, amount, paid_at, record_id)
   select gen_random_uuid(), $1 + n, n, 'h' || n, n, 'PaymentRecord', '{}', 'confirmed', $2, gen_random_uuid(), n, 'busy', 'q',
          1, 1, n
     from generate_series(1, 3 * $1::int) n`,
  [MANY, PAID_AT],
)
await pool.query(
  `insert into dead_letters (stream, stream_created_at, stream_sequence, subject, code, reason, bytes, size, received_at)
   select 's', '2020-01-01', n, 'x', 'BAD', 'r', '', 0, '2020-01-01' from generate_series(1, $1::int) n`,
  [MANY],
)
await pool.query(
  `insert into gaps (signature, from_slot, to_slot, reason, received_at, closed_at)
   select 's' || n, n, n, 'r', '2020-01-01', case when n % 2 = 0 then now() end from generate_series(1, $1::int) n`,
  [MANY],
)
await pool.query(`insert into work (kind, key) select 'policy', n from generate_series(1, $1::int) n`, [MANY])
await pool.query(
  `insert into work (kind, key, gateway, state, next_at)
   select 'replay', -n, 'gateway ' || n, '{}', 'infinity' from generate_series(1, $1::int) n`,
  [MANY],
)
await pool.query(
  `insert into announcements (kind, event_id, committed_at) select 'payment', e.id, now() - interval '1 h' from events e`,
)
await pool.query(
  `insert into gateway_sessions (hash, gateway, signer, signer_since, how, ends_at, expires_at)
   select n::text, 'gateway ' || n % 1000, 'w', '', 'wallet', at, at
     from generate_series(1, $1::int) n, lateral (select now() + (n % 2 - 0.5) * interval '1 day' as at) ends`,
  [MANY],
)
await analyzeAll(pool)

const DATES = { soonSeconds: 259_200, graceSeconds: 7_200 }
/** The first page of a round. */
const notifyDates = (cached: CachedAsks) =>
  notifyDuePolicies(store, { ...DATES, limit: 500, cached, onPage: () => Promise.resolve(false) })
const RETENTION = { batchDays: 7, deadLetterDays: 30, apiKeyDays: 30, limit: 500 }
const TASKS: Record<string, () => Promise<unknown>> = {
  'sweep of deliveries': () => sweepDeliveries(store, { overdueMs: 5_000, againMs: 30_000, limit: 1_000 }),
  'sweep of deliveries while none is overdue': () =>
    sweepDeliveries(store, { overdueMs: 36_000_000, againMs: 30_000, limit: 1_000 }),
  'sweep of batches': () => sweepBatches(store, { olderThanMs: 3_000, limit: 20 }, () => Promise.resolve()),
  'sweep of announcements': () =>
    sweepAnnouncements(store, { olderThanMs: 3_000, limit: 500 }, () => Promise.resolve()),
  'a page of due dates of a gateway that nothing is known of': () => notifyDates(new Map()),
  'a page of due dates': async () => {
    const cached: CachedAsks = new Map()
    await notifyDuePolicies(opened, { ...DATES, limit: 500, cached })
    await pool.query('update policies set next_check_at = 0')
    return notifyDates(cached)
  },
  'due dates while none is due': async () => {
    const cached: CachedAsks = new Map()
    await notifyDuePolicies(opened, { ...DATES, limit: 500, cached })
    await pool.query('update policies set next_check_at = 253402300799')
    await pool.query('vacuum analyze policies')
    await notifyDates(cached)
    for (const { rows } of read) t.ok(rows < 100, 'none is looked at')
  },
  'age of the oldest delivery': () => readOldestUndeliveredSeconds(store),
  'how late the service is': () => readDelays(store),
  'a report of a process': () =>
    reportProcess(store, {
      service: 'ingest',
      replica: 'one',
      version: '1',
      startedMsAgo: 1,
      workedMsAgo: 1,
      waitingSeconds: 0,
    }),
  'the processes': () => listProcesses(store),
  'age of the oldest wait': () => readOldestAwaitingDetailsSeconds(store),
  'failing webhooks': () => notifyFailures(store),
  'endpoints that fail': () => listFailingWebhooks(store),
  'the health of an endpoint': () => readHealth(store, [drowning, failing]),
  recovery: () => recoverFailed(store, { backoffMs: 5_000, limit: 500 }),
  'health of webhooks': () =>
    noteWebhookHealth(store, { failed: [failing], lost: [failing], succeeded: [drowning] }, 432_000_000),
  'webhooks of deleted gateways': () => findWebhooksOfDeletedGateways(store, 0n),
  'keys of deleted gateways': () => revokeKeysOfDeletedGateways(store, 0n),
  'an endpoint that is gone': () => deactivateWebhooks(store, [off], 'gone'),
  'an endpoint that gets filters, and a secret': async () => {
    await updateWebhook(store, 'g', drowning, { filters: { trackingIdPrefix: 'x' } })
    await rotateWebhookSecret(store, 'g', drowning, 60)
  },
  'an endpoint that is turned off, and one that is deleted': async () => {
    await updateWebhook(store, 'g', owned, { active: false })
    await deleteWebhooks(store, 'g', owned)
  },
  'a page of cancelling': () => doWebhookWork(store, { kinds: ['cancel'] }),
  'a page of redelivery': async () => {
    await beginRedelivery(store, drowning, { since: new Date(0), until: null, states: ['failed'] })
    return doWebhookWork(store, { kinds: ['redeliver'] })
  },
  'pages of what an endpoint missed': async () => {
    await beginReplay(store, drowning, { since: new Date(0), until: null, types: null })
    for (let pages = 0; pages < 3; pages++) await doWebhookWork(store, { kinds: ['replay'] })
  },
  'what waits for an endpoint': async () => {
    for (const id of [drowning, failing]) await readWaits(store, [id], { backoffMs: 5_000, backoffFactor: 2 })
  },
  'retention of deliveries while none is old': () => removeOldDeliveries(store, { days: 3_650, limit: 500 }),
  'retention of deliveries': () => removeOldDeliveries(store, { days: 30, limit: 500 }),
  ...Object.fromEntries(
    PRUNED_TABLES.map(table => [`retention of ${table}`, () => pruneStep(store, table, RETENTION)]),
  ),
  // What is measured again and again, and what operators look at.
  'the count of work': () => readWork(store),
  'the age of the outbox': () => readOldestOutboxSeconds(store),
  'stream gaps': () => countOpenStreamGaps(store),
  'the pages of operators': async () => {
    await countDeadLetters(store)
    await listDeadLetters(store, { openOnly: true, limit: 100 })
    await countGaps(store)
    await listGaps(store, { openOnly: true, limit: 100 })
    await countDeliveries(store)
    await listFailedDeliveries(store, { limit: 100 })
    const none = { gateway: 'another', endpoint: '.example', error: 'of nobody' }
    for (const [name, value] of Object.entries(none)) {
      const filtered = await listFailedDeliveries(store, { [name]: value, limit: 100 })
      t.match(filtered, { items: [], next: BigInt }, 'there are more to look at')
    }
    t.equal((await findRedeliverable(store, 500)).length, 500, 'however many stand before them')
    await countQuarantined(store)
    await countWebhookWork(store)
    await listWebhookWork(store, 100)
    await listTasks(store, 100)
  },
  'a sign-in': () =>
    createGatewaySession(store, {
      hash: 'a new one',
      how: 'wallet',
      grant: { gateway: 'gateway 1', signer: 'w', signerSince: '', apiKeyId: null, expiresAt: null },
      replaces: '1',
    }),
  'the sessions of a gateway': () => listGatewaySessions(store, 'gateway 1', null),
  'the figures of the start page': () =>
    readOverview(store, { gateway: 'busy', nowMs: PAID_AT.getTime() + 1_000 }),
  'where lists begin': () => readFirstEvent(store),
  'retractions while there is none': () => readRecentRetractions(store, 1).next(),
  'retractions that Redis lost': () => readRecentRetractions(store, 86_400_000).next(),
}

for (const [name, task] of Object.entries(TASKS))
  t.test(name, async t => {
    read = []
    await task()
    t.ok(read.length > 0, 'its statements were seen')
    const most = MOST_OF[name] ?? MOST_ROWS
    for (const { rows, text, plan } of read)
      if (rows > most) t.fail(`a statement takes ${rows} rows`, { text, plan: JSON.stringify(plan) })
    t.comment(`${read.length} statements of at most ${Math.max(...read.map(({ rows }) => rows))} rows`)
  })

t.test('no page was quarantined', async t => t.same(await listQuarantined(opened, 10), []))
