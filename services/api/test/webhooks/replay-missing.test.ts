// An endpoint that did not exist, was off or had other filters is sent what it missed: each event once, and none twice.
import { doWebhookWork, insertDeliveries, updateWebhook } from '@payment-tracking/store'
import { makeCommittedPayment } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { keyOf, memoOf, NO_POLICY, subscriptionOf, tellChain } from '../tell-chain.js'

const NOW = Math.floor(Date.now() / 1000)
const CHAIN = [
  'payment.executed',
  'payment.retracted',
  ...['created', 'paused', 'resumed', 'completed', 'deleted'].map(name => `subscription.${name}`),
]

const api = await openGatewayApi(t)
const { pool } = api.database
const chain = tellChain(api.store)

interface Told {
  id: string
  type: string
  message_id: string
  body: string
  state: string
}

/** A gateway, signed in, with payments of its own. */
async function openShop(name: string) {
  const { gateway, token, addWebhook: create } = await addSignedIn(api)
  const add = async (choices: Record<string, unknown> = {}) => Number((await create(choices)).body.id)
  const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
    api.call(method, `/v1/webhooks/${path}`, { token, ...(body && { body }) })
  const replay = (id: number, body: object = { since: new Date(Date.now() - 3_600_000).toISOString() }) =>
    call('POST', `${id}/replay-missing`, body)
  const work = async (limit?: number) => {
    for (;;) {
      const page = await doWebhookWork(api.store, { kinds: ['replay'], ...(limit && { limit }) })
      if (page === null) return
      t.ok(page.handled <= (limit ?? 500))
    }
  }
  return {
    gateway: gateway.address,
    token,
    add,
    call,
    replay,
    last: async (id: number) => (await call('GET', `${id}/replay-missing`)).body.replay,
    work,
    turn: (id: number, active: boolean) => call('PUT', String(id), { active }),
    pay: (memo: string, more: object = {}) =>
      chain.transfer({ gateway: gateway.address, amount: '5', memo: memoOf(memo), ...more }, NOW),
    policy: (over: object = {}) =>
      chain.policy({
        gateway: gateway.address,
        owner: keyOf(`payer of ${name}`),
        memo: `plan ${name}`,
        at: NOW,
        type: subscriptionOf(),
        ...over,
      }),
    told: async (id: number): Promise<Told[]> =>
      (
        await pool.query(
          'select id, type, message_id, body, state from deliveries where webhook_id = $1 order by id',
          [id],
        )
      ).rows,
  }
}

const idsOf = (told: readonly Told[]) => told.map(({ message_id: id }) => id)
const memosOf = (told: readonly Told[]) => told.map(({ body }) => JSON.parse(body).data.trackingId as string)

t.test('what passed while it did not exist comes as every other endpoint got it, and once', async t => {
  const shop = await openShop('late')
  const all = await shop.add({ eventTypes: CHAIN })
  await shop.pay('before')
  const policy = await shop.policy()
  await chain.pay(policy, NOW)
  await chain.change(policy.address, 'Paused', NOW)
  await chain.change(policy.address, 'Active', NOW)
  await chain.pay(policy, NOW)
  await chain.remove(policy.address, policy.owner, NOW)
  const stranger = await openShop('stranger')
  await stranger.pay('not mine')
  const late = await shop.add({ eventTypes: CHAIN })
  await shop.pay('both')
  const { status, body } = await shop.replay(late)
  t.equal(status, 202)
  t.match(body, { sent: 0, looked: 0, share: 0, endedAt: null, until: null, eventTypes: null })
  await shop.work()
  const [expected, told] = [await shop.told(all), await shop.told(late)]
  t.equal(expected.length, 8)
  t.same(
    new Set(told.map(({ message_id: id, type, body: text }) => `${id} ${type} ${text}`)),
    new Set(expected.map(({ message_id: id, type, body: text }) => `${id} ${type} ${text}`)),
    'the same ids and bytes',
  )
  t.same(
    idsOf(told).slice(1),
    idsOf(expected).slice(0, 7),
    'in the order of the events, behind what came live',
  )
  t.match(await shop.last(late), {
    sent: 7,
    looked: 8,
    share: 1,
    endedAt: String,
  })
  t.equal((await shop.replay(late)).status, 202, 'the next may begin')
  await shop.work()
  t.equal((await shop.told(late)).length, 8, 'none twice')
  t.match(await shop.last(late), { sent: 0, looked: 8 })
})

t.test('what was cancelled when it was turned off is sent again, and what passed then is made', async t => {
  const shop = await openShop('off')
  const id = await shop.add()
  const other = await shop.add()
  for (const memo of ['a', 'b', 'c']) await shop.pay(memo)
  const open = await shop.told(id)
  await pool.query(`update deliveries set state = 'delivered', finished_at = now() where id = $1`, [
    open[0]!.id,
  ])
  await shop.turn(id, false)
  for (const memo of ['d', 'e']) await shop.pay(memo)
  t.equal((await shop.replay(id)).body.code, 'WEBHOOK_INACTIVE')
  await shop.turn(id, true)
  // One row is written as cancelled, the other still reads so.
  await pool.query(`update deliveries set state = 'cancelled', finished_at = now() where id = $1`, [
    open[1]!.id,
  ])
  const before = await pool.query('select * from deliveries where webhook_id = $1 order by id', [other])
  await shop.replay(id)
  await shop.work()
  const told = await shop.told(id)
  t.same(memosOf(told), ['a', 'b', 'c', 'd', 'e'])
  t.same(
    told.map(({ state }) => state),
    ['delivered', 'pending', 'pending', 'pending', 'pending'],
  )
  t.same(idsOf(told.slice(0, 3)), idsOf(open))
  t.match(await shop.last(id), { sent: 4, looked: 5 })
  const { rows } = await pool.query('select activation from deliveries where webhook_id = $1 and id <> $2', [
    id,
    open[0]!.id,
  ])
  t.ok(rows.every(({ activation }) => activation === 2))
  const after = await pool.query('select * from deliveries where webhook_id = $1 order by id', [other])
  t.same(after.rows, before.rows, 'the other endpoint is untouched')
})

t.test('its filters and types of now decide, and messages of time are none of it', async t => {
  const shop = await openShop('filters')
  const recipient = keyOf('the one who is paid')
  const id = await shop.add({ filters: { trackingIdPrefix: 'nothing' } })
  await shop.pay('x', { recipient })
  await shop.pay('y')
  await shop.policy({ recipient })
  t.same(await shop.told(id), [])
  const types = ['payment.executed', 'subscription.created', 'subscription.due_soon']
  await shop.call('PUT', String(id), { filters: { recipient }, eventTypes: types })
  await shop.replay(id, {
    since: new Date(Date.now() - 60_000).toISOString(),
    eventTypes: ['subscription.created'],
  })
  await shop.work()
  t.same(
    (await shop.told(id)).map(({ type }) => type),
    ['subscription.created'],
  )
  await shop.replay(id)
  await shop.work()
  t.same(memosOf(await shop.told(id)), ['plan filters', 'x'])
  for (const type of ['subscription.due_soon', 'expectation.paid', 'webhook.failing'])
    t.equal((await shop.replay(id, { since: '2026-11-01', eventTypes: [type] })).status, 400, type)
})

t.test('what lacks a fact or is not final waits, and is released as ever', async t => {
  const shop = await openShop('waits')
  const id = await shop.add({ finality: 'finalized' })
  await shop.turn(id, false)
  await shop.pay('not final yet')
  await shop.turn(id, true)
  await shop.replay(id)
  await shop.work()
  t.same(await shop.told(id), [])
  await chain.finalize()
  t.same(memosOf(await shop.told(id)), ['not final yet'])
  await shop.call('PUT', String(id), { finality: 'confirmed', filters: { tokenMint: keyOf('mint') } })
  await shop.turn(id, false)
  // Its policy and its token come later.
  const draft = await shop.policy({ gateway: keyOf('nobody of waits'), id: 901, owner: keyOf('later') })
  const early = { ...draft, gateway: shop.gateway }
  await pool.query(
    `delete from user_payments where address in (select user_payment from policies where address = $1)`,
    [draft.address],
  )
  await chain.pay(early, NOW)
  await pool.query(`update events set token_mint = null where gateway = $1 and payment_policy = $2`, [
    shop.gateway,
    draft.address,
  ])
  await shop.turn(id, true)
  await shop.replay(id)
  await shop.work()
  t.equal((await shop.told(id)).length, 1)
  const { rows } = await pool.query('select waits_for from waiting_messages where webhook_id = $1', [id])
  t.same(rows, [{ waits_for: 'facts' }])
})

t.test('what the chain took back is not sent; who was told of it is told that it is gone', async t => {
  const shop = await openShop('retractions')
  const id = await shop.add({ eventTypes: CHAIN })
  const sent = await shop.pay('told, then gone')
  await pool.query(`update deliveries set state = 'delivered', attempts_made = 1 where webhook_id = $1`, [id])
  const cancelled = await shop.pay('cancelled, then gone')
  await shop.turn(id, false)
  const missed = await shop.pay('missed, then gone')
  const policy = await shop.policy()
  const paused = await chain.change(policy.address, 'Paused', NOW)
  for (const signature of [sent, cancelled, missed, paused]) await chain.retract(signature)
  await shop.turn(id, true)
  await shop.replay(id)
  await shop.work(1)
  t.same(
    (await shop.told(id)).map(({ type, state }) => `${type} ${state}`),
    [
      'payment.executed delivered',
      'payment.executed cancelled',
      'subscription.created pending',
      'payment.retracted pending',
    ],
  )
  await shop.replay(id)
  await shop.work()
  t.equal((await shop.told(id)).length, 4)
})

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
  t.same(await shop.told(id), [], 'the replay ended with the endpoint')
  t.equal((await shop.replay(id)).status, 202)
  await shop.work()
  t.same(memosOf(await shop.told(id)), ['while it is off'])
})

t.test('only what was stored in the span', async t => {
  const shop = await openShop('span')
  const id = await shop.add()
  await shop.turn(id, false)
  for (const memo of ['old', 'in the span', 'new']) await shop.pay(memo)
  await pool.query(
    `update ingest_batches b set committed_at = now() - case e.tracking_id when 'old' then interval '3 h' when 'in the span' then interval '2 h' else interval '1 h' end
       from events e where e.gateway = $1 and e.position between b.first_position and b.last_position`,
    [shop.gateway],
  )
  // Time runs forward on a real server.
  await pool.query(
    `update ingest_batches set committed_at = now() - interval '4 h'
      where last_position < (select min(position) from events where gateway = $1)`,
    [shop.gateway],
  )
  await shop.turn(id, true)
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
  await shop.replay(id, { since: hours(2.5), until: hours(1.5) })
  await shop.work()
  t.same(memosOf(await shop.told(id)), ['in the span'])
})

t.test('a page that is lost leaves nothing, and is done again', async t => {
  const shop = await openShop('lost page')
  const id = await shop.add()
  await shop.turn(id, false)
  for (let n = 0; n < 5; n++) await shop.pay(`order-${n}`)
  await shop.turn(id, true)
  await shop.replay(id)
  await doWebhookWork(api.store, { kinds: ['replay'] })
  // The page fails in its last statement.
  await pool.query(`
    create function planted() returns trigger language plpgsql as $$ begin raise exception 'planted' using errcode = '57P01'; end $$;
    create trigger planted before update on work for each row when (new.handled > old.handled) execute function planted()`)
  await t.rejects(doWebhookWork(api.store, { kinds: ['replay'], limit: 2 }))
  t.same(await shop.told(id), [])
  await pool.query('drop trigger planted on work; drop function planted()')
  await pool.query(`update work set next_at = now() where kind = 'replay' and next_at < 'infinity'`)
  await doWebhookWork(api.store, { kinds: ['replay'], limit: 2 })
  t.same(memosOf(await shop.told(id)), ['order-0', 'order-1'])
  // The next page is done, and the worker says nothing of it: another one goes on at its old place.
  const { rows } = await pool.query(`select cursor from work where kind = 'replay' and key = $1`, [id])
  await doWebhookWork(api.store, { kinds: ['replay'], limit: 2 })
  await pool.query(`update work set cursor = $2 where kind = 'replay' and key = $1`, [id, rows[0].cursor])
  await shop.work(2)
  t.same(memosOf(await shop.told(id)), ['order-0', 'order-1', 'order-2', 'order-3', 'order-4'])
})

t.test('an event that fails is set aside, and all others are sent', async t => {
  const shop = await openShop('poison')
  const id = await shop.add()
  await shop.turn(id, false)
  for (const memo of ['one', 'poison', 'three']) await shop.pay(memo)
  await pool.query(
    `alter table deliveries add constraint planted check (body not like '%"poison"%') not valid`,
  )
  await shop.turn(id, true)
  await shop.replay(id)
  await shop.work()
  t.same(memosOf(await shop.told(id)), ['one', 'three'])
  const { rows } = await pool.query(`select task from set_aside where error like '%planted%'`)
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
  for (let looks = 0; looks < 500; looks++) {
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
  await writer.query(
    'insert into ingest_batches (first_position, last_position) select position, position from stream_head',
  )
  await writer.query('commit')
  writer.release()
  await page
  await shop.work()
  t.same(memosOf(await shop.told(id)), ['written last'])
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
  t.same(memosOf(await shop.told(id)), ['a', 'b'])
  t.match(await shop.last(id), { sent: 2, goesOnAt: String, endedAt: null })
  t.equal((await shop.replay(id)).status, 429)
  await pool.query('update redelivery_counts set day = day - 1 where gateway = $1', [shop.gateway])
  await pool.query(`update work set next_at = now() where kind = 'replay' and key = $1`, [id])
  await shop.work()
  t.same(memosOf(await shop.told(id)), ['a', 'b', 'c'])
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
  t.match(await shop.told(id), [{ state: 'pending' }])
  t.match((await shop.call('GET', `${id}/deliveries`)).body, [{ status: 'cancelled' }])
})
