// An endpoint is turned off whatever waits for it: the request changes the webhook's row, everybody reads its deliveries as
// cancelled from then on, and pages of work write the rows.
// What turning on, pages of cancelling and crashes do in any order is replayed from the model: test/models.
import { randomUUID } from 'node:crypto'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { countDeliveries, findDelivery } from '../../src/admin/ops/failed-deliveries.js'
import { listTracedDeliveries } from '../../src/reads/lists/read-payment-trace.js'
import { listQuarantined, takeBack } from '../../src/core/quarantine/quarantined-rows.js'
import { beginRedelivery, RedeliveryUnderWayError } from '../../src/deliveries/replay/redeliver.js'
import { claimDeliveries } from '../../src/deliveries/claim-deliveries.js'
import { countWebhookWork, listWebhookWork } from '../../src/admin/ops/work-progress.js'
import { createWebhook, deleteWebhooks } from '../../src/admin/webhooks/webhook-records.js'
import { deactivateWebhooks } from '../../src/deliveries/deactivate-webhooks.js'
import { doWebhookWork } from '../../src/deliveries/webhook-work.js'
import { getDelivery, listDeliveries } from '../../src/admin/webhooks/delivery-records.js'
import { insertDeliveries } from '../../src/messages/routing/notify.js'
import { readOldestUndeliveredSeconds } from '../../src/core/tables/oldest-waits.js'
import { sweepDeliveries } from '../../src/deliveries/sweep-deliveries.js'
import { updateWebhook } from '../../src/admin/webhooks/update-webhook.js'
import { notify } from '../../src/messages/routing/notify.js'
import { openTestStore } from '../open-test-store.js'

const WAITING = 1_200
const PAGE = 500
const SINCE = new Date(0)

t.test('webhooks with many deliveries', async t => {
  const { store, pool } = await openTestStore(t, { poolSize: 6 })
  /** A webhook with waiting deliveries: pending, held back, overdue; and one that was delivered. */
  const fill = async (count = WAITING) => {
    const gateway = randomUUID()
    const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://a.example/', active: true })
    await pool.query(
      `with m as (insert into messages (gateway, type, message_id, body) values ('', '', '', '{}') returning id)
       insert into deliveries (webhook_id, event_id, message_id, type, message, state, due_at, opened_at)
       select $1, gen_random_uuid(), 'm' || n, 'payment.executed', m.id,
              case n when 1 then 'delivered' else case n % 2 when 0 then 'pending' else 'waiting' end end,
              now() - interval '1 h', now() - interval '1 h'
         from m, generate_series(1, $2::int) n`,
      [webhook.id, count + 1],
    )
    await pool.query('analyze deliveries')
    return { gateway, id: webhook.id }
  }
  /** The states of the rows themselves. */
  const rowsOf = async (id: bigint) => {
    const { rows } = await pool.query<{ state: string; n: number }>(
      'select state, count(*)::int as n from deliveries where webhook_id = $1 group by 1',
      [id],
    )
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  }
  /** What everybody else reads. */
  const readOf = async (id: bigint) => {
    const counts: Record<string, number> = {}
    for (const status of ['pending', 'waiting', 'delivered', 'failed', 'cancelled'] as const) {
      const found = await listDeliveries(store, id, { status, limit: 2 * WAITING, offset: 0 })
      t.ok(found.every(each => each.status === status))
      if (found.length > 0) counts[status] = found.length
    }
    return counts
  }
  const work = async () => {
    const pages = []
    for (;;) {
      const page = await doWebhookWork(store, { kinds: ['cancel', 'redeliver'] })
      if (page === null) return pages
      t.ok(page.handled <= PAGE, 'a page is bounded')
      if (page.handled > 0) pages.push(page)
    }
  }
  /** As if the two minutes had passed in which a transaction may still commit. */
  const settle = async () => {
    await pool.query(
      `update webhooks set turned_off_at = turned_off_at - interval '1 h', deleted_at = deleted_at - interval '1 h'`,
    )
    await pool.query('update work set next_at = now()')
    await work()
  }

  const WAYS: [
    way: string,
    why: string,
    turnOff: (of: { gateway: string; id: bigint }) => Promise<unknown>,
  ][] = [
    ['turned off', 'webhook inactive', of => updateWebhook(store, of.gateway, of.id, { active: false })],
    ['deleted', 'webhook deleted', of => deleteWebhooks(store, of.gateway, of.id)],
    ['deleted with its gateway', 'webhook deleted', of => deleteWebhooks(store, of.gateway)],
    ['gone', 'webhook deactivated: gone', of => deactivateWebhooks(store, [of.id], 'gone')],
    ['failing', 'webhook deactivated: failing', of => deactivateWebhooks(store, [of.id], 'failing')],
  ]
  for (const [way, why, turnOff] of WAYS) {
    t.test(`${way}: no row of a delivery is written by the request, and all read as cancelled`, async t => {
      const of = await fill()
      const before = await rowsOf(of.id)
      const version = async () =>
        (await pool.query('select sum(xmin::text::bigint) from deliveries where webhook_id = $1', [of.id]))
          .rows
      const unwritten = await version()
      await turnOff(of)
      t.same(await version(), unwritten, 'the request wrote no delivery')
      t.same(await rowsOf(of.id), before)
      t.same(await readOf(of.id), { delivered: 1, cancelled: WAITING })
      const all = await listDeliveries(store, of.id, { limit: 3, offset: 0 })
      const wanted = [1, 2, 3].map(() => ({ status: 'cancelled', lastError: why, nextAttemptAt: null }))
      t.match(all, wanted)
      const { id: deliveryId, eventId, finishedAt } = all[0]!
      t.ok(Math.abs(finishedAt!.getTime() - Date.now()) < 60_000)
      const turnedOff = await getDelivery(store, of.id, deliveryId)
      t.match(turnedOff, { status: 'cancelled', lastError: why, finishedAt })
      t.match(await findDelivery(store, deliveryId), { status: 'cancelled' }, 'ops')
      t.match(await listTracedDeliveries(store, [eventId!], of.gateway), [{ state: 'cancelled', finishedAt }])
      t.same(await countDeliveries(store), [], 'the overview of ops')
      t.equal(await readOldestUndeliveredSeconds(store), 0)
      t.same((await sweepDeliveries(store, { overdueMs: 1, againMs: 1, limit: 9 })).deliveries, [])
      const claimed = await claimDeliveries(store, [String(deliveryId)], 1_000)
      t.match(claimed, [{ kind: 'nothing', state: 'cancelled' }], 'no worker gets one')
      const endedWith = await getDelivery(store, of.id, deliveryId)
      t.match(endedWith, { status: 'cancelled', lastError: why, finishedAt })
      t.match(await listWebhookWork(store, 10), [{ kind: 'cancel', webhookId: of.id, handled: 0n }])
      t.match(await countWebhookWork(store), [{ kind: 'cancel', count: 1 }])
      const pages = await work()
      const sizes = pages.map(({ handled }) => handled)
      t.same(sizes, [PAGE, PAGE, WAITING - 2 * PAGE - 1])
      t.same(await rowsOf(of.id), { delivered: 1, cancelled: WAITING })
      t.match(await getDelivery(store, of.id, all[2]!.id), { ...all[2] }, 'the row says what was read before')
      t.match(await listWebhookWork(store, 10), [{ isFinishing: true, handled: BigInt(WAITING - 1) }])
      await settle()
      t.same(await listWebhookWork(store, 10), [])
    })
  }

  t.test('a payment whose transaction saw the endpoint on is cancelled too', async t => {
    const of = await fill(2)
    const payment = makeCommittedPayment(of.gateway)
    await store.database.transaction(async tx => {
      await notify(tx, { payments: [payment], lifecycles: [], isFinal: () => false })
      await updateWebhook(store, of.gateway, of.id, { active: false })
      await work()
    })
    t.same(await readOf(of.id), { delivered: 1, cancelled: 3 })
    t.match(await rowsOf(of.id), { pending: 1 }, 'written behind the work')
    await settle()
    t.same(await rowsOf(of.id), { delivered: 1, cancelled: 3 })
    t.same(await listWebhookWork(store, 10), [])
  })

  t.test('what waits for finality or details goes with a deleted endpoint', async t => {
    const [of, other] = [await fill(1), await fill(1)]
    await pool.query(
      `insert into waiting_messages (webhook_id, message_id, event_id, policy, slot, type, waits_for)
       select w, n::text, gen_random_uuid(), 'p', 1, 'payment.executed', case n % 2 when 0 then 'finality' else 'details' end
         from unnest($1::bigint[]) w, generate_series(1, $2::int) n`,
      [[of.id, other.id], WAITING],
    )
    await deleteWebhooks(store, of.gateway)
    await updateWebhook(store, other.gateway, other.id, { active: false })
    t.ok((await work()).length >= 3)
    const { rows } = await pool.query('select distinct webhook_id as id from waiting_messages')
    t.same(rows, [{ id: String(other.id) }], 'an endpoint that is off may be on when they are final')
    await pool.query('delete from waiting_messages')
    await settle()
  })

  t.test('a page of redelivery that is done again begins no second cycle', async t => {
    const of = await fill(6)
    await pool.query(
      `update deliveries set state = 'failed', attempts_made = 4, finished_at = now() where webhook_id = $1`,
      [of.id],
    )
    await beginRedelivery(store, of.id, { since: SINCE, until: null, states: ['failed'] })
    const page = () => doWebhookWork(store, { kinds: ['redeliver'], limit: 4 })
    const first = (await page())!.deliveries
    t.equal(first.length, 4)
    // One of them has failed since, and the worker died before it wrote how far it had come.
    await pool.query(`update deliveries set state = 'failed', attempts_made = 8 where id = $1`, [
      first[0]!.id,
    ])
    await pool.query(`update work set cursor = '', next_at = now() where key = $1`, [String(of.id)])
    while ((await page()) !== null);
    const { rows } = await pool.query(
      'select state, tries_allowed, count(*)::int as n from deliveries where webhook_id = $1 group by 1, 2 order by 1',
      [of.id],
    )
    t.same(rows, [
      { state: 'failed', tries_allowed: 8, n: 1 },
      { state: 'pending', tries_allowed: 8, n: 6 },
    ])
  })

  t.test('a span is redelivered in pages, each delivery once, and one span at a time', async t => {
    const of = await fill()
    await updateWebhook(store, of.gateway, of.id, { active: false })
    await updateWebhook(store, of.gateway, of.id, { active: true })
    await doWebhookWork(store, { kinds: ['cancel'] })
    const span = { since: SINCE, until: null, states: ['failed', 'cancelled'] as const }
    await beginRedelivery(store, of.id, span)
    await t.rejects(beginRedelivery(store, of.id, span), RedeliveryUnderWayError)
    const [later] = await insertDeliveries(store, [makeCommittedPayment(of.gateway)])
    await pool.query(`update deliveries set state = 'failed' where id = $1`, [later!.id])
    const redelivered = []
    for (;;) {
      const page = await doWebhookWork(store, { kinds: ['redeliver'] })
      if (page === null) break
      t.ok(page.deliveries.length <= PAGE)
      redelivered.push(...page.deliveries.map(({ id }) => id))
      // They fail again, and are not taken again.
      await pool.query(`update deliveries set state = 'failed' where id = any($1)`, [
        page.deliveries.map(d => d.id),
      ])
    }
    t.equal(redelivered.length, WAITING)
    t.equal(new Set(redelivered).size, WAITING)
    await work()
    t.same(await rowsOf(of.id), { delivered: 1, failed: WAITING + 1 }, 'the redelivered one waits on')
    await beginRedelivery(store, of.id, span)
    await updateWebhook(store, of.gateway, of.id, { active: false })
    t.match(await countWebhookWork(store), [{ kind: 'cancel' }], 'nothing goes on to an endpoint that is off')
    await updateWebhook(store, of.gateway, of.id, { active: true })
    await work()
    t.same(await rowsOf(of.id), { delivered: 1, failed: WAITING + 1 })
    await settle()
  })

  t.test('a row that cannot be written is quarantined, and all others are written', async t => {
    const of = await fill()
    const [bad] = await listDeliveries(store, of.id, { status: 'pending', limit: 1, offset: 300 })
    await pool.query(
      `alter table deliveries add constraint planted check (id <> ${bad!.id} or state in ('pending', 'waiting'))`,
    )
    await deleteWebhooks(store, of.gateway)
    // Postgres reports a failed statement before it releases the locks, and a page passes over locked rows. Later pages find them.
    await waitFor(
      async () => {
        await pool.query('update work set next_at = now()')
        await work()
        return (
          (await rowsOf(of.id)).cancelled === WAITING - 1 && (await listQuarantined(store, 10)).length > 0
        )
      },
      { what: 'all rows but the one that cannot be written' },
    )
    t.same(await rowsOf(of.id), { delivered: 1, cancelled: WAITING - 1, pending: 1 })
    t.match(await listQuarantined(store, 10), [
      { task: 'cancel-deliveries', key: String(bad!.id), error: /planted/ },
    ])
    t.equal((await getDelivery(store, of.id, bad!.id))!.status, 'cancelled', 'it reads as what it is')
    await pool.query('alter table deliveries drop constraint planted')
    t.ok(await takeBack(store, { task: 'cancel-deliveries', key: String(bad!.id) }))
    await settle()
    t.same(await rowsOf(of.id), { delivered: 1, cancelled: WAITING })
    t.same(await listQuarantined(store, 10), [])
  })
})
