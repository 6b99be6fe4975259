// How endpoints answered, by the hour: each attempt that moved its delivery counts once.
import { randomUUID } from 'node:crypto'
import { durationClass } from '@payment-tracking/domain'
import { createDatabase, makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/core/database/open-store.js'
import { claimDeliveries, type ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'
import { createWebhook } from '../../src/admin/webhooks/webhook-records.js'
import { finishAttempts } from '../../src/deliveries/finish-attempts.js'
import { insertDeliveries } from '../../src/messages/routing/notify.js'
import { readWebhookHours } from '../../src/deliveries/webhook-hours.js'
import { resultOf } from './attempt-result.js'

const database = await createDatabase(t)
const { pool } = database
const openWorker = () => {
  const store = openStore({ DATABASE_URL: database.url, poolSize: 4 })
  t.teardown(() => store.close())
  return store
}
const store = openWorker()
const since = new Date(0)

const addWebhook = async () => {
  const gateway = randomUUID()
  return createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
}
/** Claims so many new deliveries of a webhook. */
const claimNew = async (gateway: string, count: number): Promise<ClaimedDelivery[]> => {
  const payments = Array.from({ length: count }, () => makeCommittedPayment(gateway))
  const ids = (await insertDeliveries(store, payments)).map(({ id }) => String(id))
  const claims = await claimDeliveries(store, ids, 60_000)
  return claims.flatMap(claim => (claim.kind === 'claimed' ? [claim.delivery] : []))
}
const countsOf = async (id: bigint) => {
  const rows = await readWebhookHours(store, id, { by: 'day', since })
  const sum = (accepted: boolean) =>
    Number(rows.reduce((all, row) => all + (row.accepted === accepted ? row.requests : 0n), 0n))
  return { accepted: sum(true), refused: sum(false) }
}

t.test('an attempt counts once, however often its result is written', async t => {
  const { id, gateway } = await addWebhook()
  const [first, second, third] = await claimNew(gateway, 3)
  const results = [
    resultOf(first!),
    resultOf(second!, { outcome: 'refused', next: 'pending', durationMs: 10_000 }),
    resultOf(third!, { outcome: 'interrupted', next: 'pending' }),
  ]
  for (let time = 0; time < 3; time++) await finishAttempts(store, results)
  t.same(await countsOf(id), { accepted: 1, refused: 1 })
  const { rows } = await pool.query(
    'select accepted, duration, requests::int as requests, start from webhook_hours where webhook_id = $1 order by 1',
    [id],
  )
  t.match(rows, [
    { accepted: false, duration: 51, requests: 1 },
    { accepted: true, duration: 17, requests: 1 },
  ])
  t.ok(rows.every(({ start }: { start: Date }) => start.getTime() % 3_600_000 === 0))
})

t.test('workers that write results of the same endpoints at once lose none, and none hangs', async t => {
  const webhooks = await Promise.all(Array.from({ length: 6 }, addWebhook))
  const claimed = (await Promise.all(webhooks.map(({ gateway }) => claimNew(gateway, 60)))).flat()
  const workers = [store, openWorker(), openWorker()]
  // Each set holds results of every webhook, in another order, of other durations.
  const sets = Array.from({ length: 36 }, (_, set) =>
    claimed
      .filter((_delivery, at) => at % 36 === set)
      .map((delivery, at) => resultOf(delivery, { durationMs: ((set + at) % 5) * 100 }))
      .sort((a, b) => (set % 2 === 0 ? 1 : -1) * Number(a.webhookId - b.webhookId)),
  )
  await Promise.all(sets.map((set, at) => finishAttempts(workers[at % 3]!, set)))
  for (const { id } of webhooks) t.same(await countsOf(id), { accepted: 60, refused: 0 })
})

t.test('a statement takes rows in the order of their keys, whatever the order of its results', async t => {
  const webhooks = await Promise.all(Array.from({ length: 6 }, addWebhook))
  const claimed = (await Promise.all(webhooks.map(({ gateway }) => claimNew(gateway, 1)))).flat()
  const ids = claimed.map(({ webhookId }) => webhookId).sort((a, b) => Number(a - b))
  // Of this hour, and of the next, in which the statement may run.
  await pool.query(
    `insert into webhook_hours (webhook_id, start, accepted, duration, requests)
     select id, date_trunc('hour', now(), 'UTC') + n * interval '1 hour', true, $2, 0
       from unnest($1::bigint[]) id, generate_series(0, 1) n`,
    [ids, durationClass(20)],
  )
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from webhook_hours where webhook_id = $1 for update', [ids.at(-1)])
  const backwards = claimed.sort((a, b) => Number(b.webhookId - a.webhookId))
  const written = finishAttempts(
    store,
    backwards.map(delivery => resultOf(delivery)),
  )
  const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await waitFor(async () => (await pool.query(isWaiting)).rows.length > 0, { what: 'a waiting statement' })
  const { rows: free } = await pool.query(
    `select webhook_id from webhook_hours where webhook_id = any($1) and start <= now() for update skip locked`,
    [ids],
  )
  t.same(free, [], 'it has all rows before the one that it waits for')
  await holder.query('rollback')
  holder.release()
  await written
})

t.test('hours are read as they are or as days, since a time', async t => {
  const { id } = await addWebhook()
  await pool.query(
    `insert into webhook_hours (webhook_id, start, accepted, duration, requests)
     select $1, timestamptz '2026-03-01 00:00Z' + n * interval '1 hour', n % 2 = 0, 5, n from generate_series(0, 47) n`,
    [id],
  )
  const hours = await readWebhookHours(store, id, { by: 'hour', since: new Date('2026-03-02T12:00Z') })
  t.equal(hours.length, 12)
  const days = await readWebhookHours(store, id, { by: 'day', since: new Date('2026-03-01T00:00Z') })
  const [first] = days.filter(({ accepted, start }) => accepted && start.getUTCDate() === 1)
  t.same(first, { start: new Date('2026-03-01T00:00Z'), accepted: true, duration: 5, requests: 132n })
  t.equal(days.length, 4)
})
