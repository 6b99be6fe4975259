// What an endpoint missed is sent whatever fails meanwhile: a page, an event, the endpoint itself; and within its bounds.
import { doWebhookWork } from '@payment-tracking/store/deliveries'
import { insertDeliveries } from '@payment-tracking/store/messages'
import { updateWebhook } from '@payment-tracking/store/admin'
import { FILL_MESSAGES, makeCommittedPayment } from '@payment-tracking/testkit'
import t from 'tap'
import { NO_POLICY } from '../open-chain.js'
import { memosOf, openReplayShops } from './open-replay-shop.js'

const { api, openShop, pool } = await openReplayShops(t)

t.test('one at a time, at most 30 days back, and turning off ends it', async t => {
  const shop = await openShop('refusals')
  const id = await shop.add()
  t.strictSame(await shop.last(id), null)
  const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()
  for (const body of [
    { since: days(30.1) },
    { since: 'yesterday' },
    { since: days(1), until: days(2) },
    { since: days(1), types: [] },
    {},
  ])
    t.equal((await shop.replay(id, body)).status, 400, JSON.stringify(body))
  t.equal((await shop.replay(999_999_999)).status, 404)
  t.equal((await shop.replay(id, { since: days(30) })).status, 202)
  const again = await shop.replay(id)
  t.equal(again.status, 409)
  t.equal(again.body.code, 'REPLAY_UNDER_WAY')
  await shop.turn(id, false)
  await shop.pay('while it is off')
  await shop.turn(id, true)
  await shop.work()
  t.same(await shop.sent(id), [], 'the replay ended with the endpoint')
  t.equal((await shop.replay(id)).status, 202)
  await shop.work()
  t.same(memosOf(await shop.sent(id)), ['while it is off'])
})

t.test('a page that is lost leaves nothing, and is done again', async t => {
  const shop = await openShop('lost page')
  const id = await shop.add()
  await shop.turn(id, false)
  for (let n = 0; n < 5; n++) await shop.pay(`order-${n}`)
  await shop.turn(id, true)
  await shop.replay(id)
  // The first page finds the span, the second one nothing that was cancelled.
  for (let pages = 0; pages < 2; pages++) await doWebhookWork(api.store, { kinds: ['replay'] })
  // The page fails in its last statement.
  await pool.query(`
    create function planted() returns trigger language plpgsql as $$ begin raise exception 'planted' using errcode = '57P01'; end $$;
    create trigger planted before update on work for each row when (new.handled > old.handled) execute function planted()`)
  await t.rejects(doWebhookWork(api.store, { kinds: ['replay'], limit: 2 }))
  t.same(await shop.sent(id), [])
  await pool.query('drop trigger planted on work; drop function planted()')
  await pool.query(`update work set next_at = now() where kind = 'replay' and next_at < 'infinity'`)
  await doWebhookWork(api.store, { kinds: ['replay'], limit: 2 })
  t.same(memosOf(await shop.sent(id)), ['order-0', 'order-1'])
  // The next page is done, and the worker says nothing of it: another one goes on at its old place.
  const { rows } = await pool.query(`select cursor from work where kind = 'replay' and key = $1`, [id])
  await doWebhookWork(api.store, { kinds: ['replay'], limit: 2 })
  await pool.query(`update work set cursor = $2 where kind = 'replay' and key = $1`, [id, rows[0].cursor])
  await shop.work(2)
  t.same(memosOf(await shop.sent(id)), ['order-0', 'order-1', 'order-2', 'order-3', 'order-4'])
})

t.test('an event that fails is quarantined, and all others are sent', async t => {
  const shop = await openShop('poison')
  const id = await shop.add()
  await shop.turn(id, false)
  for (const memo of ['one', 'poison', 'three']) await shop.pay(memo)
  await pool.query(
    `create function is_poison(bigint) returns boolean language sql
       return exists (select from messages where id = $1 and body like '%"poison"%')`,
  )
  await pool.query('alter table deliveries add constraint planted check (not is_poison(message)) not valid')
  await shop.turn(id, true)
  await shop.replay(id)
  await shop.work()
  t.same(memosOf(await shop.sent(id)), ['one', 'three'])
  const { rows } = await pool.query(`select task from quarantine where error like '%planted%'`)
  t.same(rows, [{ task: 'replay-messages' }])
  await pool.query('alter table deliveries drop constraint planted')
})

t.test('the writer that saw the endpoint off commits before the replay begins', async t => {
  const shop = await openShop('writer')
  const id = await shop.add()
  await shop.turn(id, false)
  const writer = await pool.connect()
  await writer.query('begin')
  await writer.query('select from stream_head where id = 1 for update')
  await shop.turn(id, true)
  await shop.replay(id)
  let isFound = false
  const page = doWebhookWork(api.store, { kinds: ['replay'] }).then(() => (isFound = true))
  for (let checks = 0; checks < 500; checks++) {
    const { rows } = await pool.query(
      `select 1 from pg_locks where not granted and locktype in ('transactionid', 'tuple')`,
    )
    if (rows.length > 0) break
  }
  t.notOk(isFound, 'it waits for the writer')
  await writer.query(`update stream_head set position = position + 1`)
  await writer.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence,
                         gateway, payment_policy, amount, paid_at, record_id, tracking_id)
     select gen_random_uuid(), position, 1, 'written last', 0, 'PaymentRecord', '{}', 'confirmed', now(), gen_random_uuid(), 1, $1, $2,
            1, 1, 0, 'written last' from stream_head`,
    [shop.gateway, NO_POLICY],
  )
  await writer.query(FILL_MESSAGES)
  await writer.query(
    'insert into ingest_batches (first_position, last_position) select position, position from stream_head',
  )
  await writer.query('commit')
  writer.release()
  await page
  await shop.work()
  t.same(memosOf(await shop.sent(id)), ['written last'])
})

t.test('a day has its quota, and the replay goes on the next', async t => {
  const shop = await openShop('quota')
  const id = await shop.add()
  await shop.turn(id, false)
  for (const memo of ['a', 'b', 'c']) await shop.pay(memo)
  await shop.turn(id, true)
  await pool.query(
    `insert into redelivery_counts (gateway, day, redelivered) values ($1, (now() at time zone 'UTC')::date, 99998)`,
    [shop.gateway],
  )
  await shop.replay(id)
  await shop.work()
  t.same(memosOf(await shop.sent(id)), ['a', 'b'])
  t.match(await shop.last(id), { sent: 2, goesOnAt: String, endedAt: null })
  t.equal((await shop.replay(id)).status, 429)
  await pool.query('update redelivery_counts set day = day - 1 where gateway = $1', [shop.gateway])
  await pool.query(`update work set next_at = now() where kind = 'replay' and key = $1`, [id])
  await shop.work()
  t.same(memosOf(await shop.sent(id)), ['a', 'b', 'c'])
  t.match(await shop.last(id), { sent: 3, goesOnAt: null, endedAt: String })
})

t.test('a delivery of a payment that is no event of the chain stays as it is', async t => {
  const shop = await openShop('no event')
  const id = await shop.add()
  await insertDeliveries(api.store, [makeCommittedPayment(shop.gateway)])
  await updateWebhook(api.store, shop.gateway, BigInt(id), { active: false })
  await updateWebhook(api.store, shop.gateway, BigInt(id), { active: true })
  await shop.replay(id)
  await shop.work()
  t.match(await shop.sent(id), [{ state: 'pending' }])
  t.match((await shop.call('GET', `${id}/deliveries`)).body, [{ status: 'cancelled' }])
})
