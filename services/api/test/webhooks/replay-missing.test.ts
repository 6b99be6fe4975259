// An endpoint that did not exist, was off or had other filters is sent what it missed: each event once, and none twice.
import { SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf } from '../open-chain.js'
import { CHAIN, idsOf, memosOf, NOW, openReplayShops, type Sent } from './open-replay-shop.js'

const { chain, openShop, pool } = await openReplayShops(t)

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
  const [expected, sent] = [await shop.sent(all), await shop.sent(late)]
  t.equal(expected.length, 8)
  t.same(
    new Set(sent.map(({ message_id: id, type, body: text }) => `${id} ${type} ${text}`)),
    new Set(expected.map(({ message_id: id, type, body: text }) => `${id} ${type} ${text}`)),
    'the same ids and bytes',
  )
  t.same(idsOf(sent).slice(1), idsOf(expected).slice(0, 7), 'in the order of the events, behind live ones')
  t.match(await shop.last(late), {
    sent: 7,
    looked: 8,
    share: 1,
    endedAt: String,
  })
  t.equal((await shop.replay(late)).status, 202, 'the next may begin')
  await shop.work()
  t.equal((await shop.sent(late)).length, 8, 'none twice')
  t.match(await shop.last(late), { sent: 0, looked: 8 })
})

t.test('what was cancelled when it was turned off is sent again, and what passed then is made', async t => {
  const shop = await openShop('off')
  const id = await shop.add()
  const other = await shop.add()
  for (const memo of ['a', 'b', 'c']) await shop.pay(memo)
  const open = await shop.sent(id)
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
  const sent = await shop.sent(id)
  t.same(memosOf(sent), ['a', 'b', 'c', 'd', 'e'])
  const states = sent.map(({ state }) => state)
  t.same(states, ['delivered', 'pending', 'pending', 'pending', 'pending'])
  t.same(idsOf(sent.slice(0, 3)), idsOf(open))
  t.match(await shop.last(id), { sent: 4, looked: 5 })
  const { rows } = await pool.query('select activation from deliveries where webhook_id = $1 and id <> $2', [
    id,
    open[0]!.id,
  ])
  t.ok(rows.every(({ activation }) => activation === 2))
  const after = await pool.query('select * from deliveries where webhook_id = $1 order by id', [other])
  t.same(after.rows, before.rows, 'the other endpoint is untouched')
})

t.test('from the moment it was turned off, what was cancelled then was left out', async t => {
  const shop = await openShop('moment')
  const id = await shop.add({ eventTypes: CHAIN })
  await shop.pay('cancelled long ago')
  await shop.turn(id, false)
  await pool.query(`update webhooks set turned_off_at = now() - interval '2 h' where id = $1`, [id])
  await shop.turn(id, true)
  await pool.query(
    `update deliveries set state = 'cancelled', finished_at = now() - interval '2 h' where webhook_id = $1`,
    [id],
  )
  for (const memo of ['a', 'b', 'c', 'delivered']) await shop.pay(memo)
  const gone = await shop.pay('told, then gone')
  const policy = await shop.policy({ memo: 'plan' })
  await chain.change(policy.address, 'Paused', NOW)
  await pool.query(
    `update deliveries set state = 'delivered', attempts_made = 1
      where webhook_id = $1 and message in (select id from messages where body like '%"delivered"%' or body like '%then gone%')`,
    [id],
  )
  await chain.retract(gone)
  await pool.query(`update ingest_batches set committed_at = committed_at - interval '4 h'`)
  await pool.query(`update events set retracted_at = retracted_at - interval '4 h'`)
  await pool.query(`update messages set notified_at = notified_at - interval '4 h'`)
  const before = await shop.sent(id)
  const since = new Date().toISOString()
  await shop.turn(id, false)
  await chain.retract(await shop.pay('passed and taken back'))
  await shop.pay('passed')
  await shop.turn(id, true)
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
  /** What is sent now: rows of what was cancelled may still say that they are pending. */
  const pendingOf = async (): Promise<Sent[]> =>
    (
      await pool.query(
        `select d.* from ${SENT} d join webhooks w on w.id = d.webhook_id
          where w.id = $1 and d.state = 'pending' and d.activation = w.activation order by d.id`,
        [id],
      )
    ).rows
  await shop.replay(id, { since: hours(3), until: hours(1.5) })
  await shop.work()
  t.same(memosOf(await pendingOf()), ['cancelled long ago'], 'what was cancelled in the span')
  await pool.query(
    `update deliveries set state = 'delivered' where webhook_id = $1 and state = 'pending'
                       and message in (select id from messages where body like '%long ago%')`,
    [id],
  )
  // Few at a time: each page goes on after the one before.
  await shop.replay(id, { since })
  await shop.work(1)
  t.same(
    (await pendingOf()).map(({ type, body }) => `${type} ${JSON.parse(body).data.trackingId}`),
    [
      ...['a', 'b', 'c'].map(memo => `payment.executed ${memo}`),
      'subscription.created plan',
      'subscription.paused plan',
      'payment.retracted told, then gone',
      'payment.executed passed',
    ],
  )
  t.same(idsOf(await shop.sent(id)).slice(0, before.length), idsOf(before), 'none twice')
  t.match(await shop.last(id), { sent: 7, share: 1, endedAt: String })
  await shop.turn(id, false)
  await shop.turn(id, true)
  await shop.call('PUT', String(id), { filters: { trackingIdPrefix: 'a' } })
  await shop.replay(id, { since })
  await shop.work()
  t.same(memosOf(await pendingOf()), ['a', 'told, then gone'], 'payments by the filters of now')
})

t.test('from the moment it was turned off, what became final meanwhile was left out', async t => {
  const shop = await openShop('became final')
  const id = await shop.add({ finality: 'finalized' })
  const other = await shop.add({ finality: 'finalized' })
  for (const memo of ['a', 'b']) await shop.pay(memo)
  await pool.query(`update ingest_batches set committed_at = committed_at - interval '1 h'`)
  const since = new Date().toISOString()
  await shop.turn(id, false)
  await chain.finalize()
  const deliveriesOfIt = (await shop.call('GET', `${id}/deliveries`)).body
  t.match(deliveriesOfIt, [{ status: 'cancelled' }, { status: 'cancelled' }], 'seen, and not sent')
  await shop.turn(id, true)
  const foundStates = (await shop.sent(id)).map(({ state }) => state)
  t.same(foundStates, ['cancelled', 'cancelled'])
  await shop.replay(id, { since })
  await shop.work()
  const sent = await shop.sent(id)
  const allStates = sent.map(({ state }) => state)
  t.same(allStates, ['pending', 'pending'])
  t.same(idsOf(sent), idsOf(await shop.sent(other)))
})

t.test('its filters and types of now decide, and messages of time are none of it', async t => {
  const shop = await openShop('filters')
  const recipient = keyOf('the one who is paid')
  const id = await shop.add({ filters: { trackingIdPrefix: 'nothing' } })
  await shop.pay('x', { recipient })
  await shop.pay('y')
  await shop.policy({ recipient })
  t.same(await shop.sent(id), [])
  const types = ['payment.executed', 'subscription.created', 'subscription.due_soon']
  await shop.call('PUT', String(id), { filters: { recipient }, eventTypes: types })
  await shop.replay(id, {
    since: new Date(Date.now() - 60_000).toISOString(),
    eventTypes: ['subscription.created'],
  })
  await shop.work()
  const foundTypes = (await shop.sent(id)).map(({ type }) => type)
  t.same(foundTypes, ['subscription.created'])
  await shop.replay(id)
  await shop.work()
  t.same(memosOf(await shop.sent(id)), ['plan filters', 'x'])
  for (const type of ['subscription.due_soon', 'expectation.paid', 'webhook.failing'])
    t.equal((await shop.replay(id, { since: '2026-11-01', eventTypes: [type] })).status, 400, type)
})

t.test('what lacks a detail or is not final waits, and is released as ever', async t => {
  const shop = await openShop('waits')
  const id = await shop.add({ finality: 'finalized' })
  await shop.turn(id, false)
  await shop.pay('not final yet')
  await shop.turn(id, true)
  await shop.replay(id)
  await shop.work()
  t.same(await shop.sent(id), [])
  await chain.finalize()
  t.same(memosOf(await shop.sent(id)), ['not final yet'])
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
  t.equal((await shop.sent(id)).length, 1)
  const { rows } = await pool.query('select waits_for from waiting_messages where webhook_id = $1', [id])
  t.same(rows, [{ waits_for: 'details' }])
})

t.test('what the chain took back is not sent; who got it learns that it is gone', async t => {
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
    (await shop.sent(id)).map(({ type, state }) => `${type} ${state}`),
    [
      'payment.executed delivered',
      'payment.executed cancelled',
      'subscription.created pending',
      'payment.retracted pending',
    ],
  )
  await shop.replay(id)
  await shop.work()
  t.equal((await shop.sent(id)).length, 4)
})

t.test('only what was stored in the span', async t => {
  const shop = await openShop('span')
  const id = await shop.add({ eventTypes: CHAIN })
  await shop.turn(id, false)
  await shop.pay('old')
  // The last event before the span, and the first one in it.
  const before = await shop.policy({ memo: 'old' })
  await chain.change(before.address, 'Paused', NOW)
  for (const memo of ['in the span', 'new']) await shop.pay(memo)
  await pool.query(
    `with stored as (
       select e.position, now() - case
                when e.tracking_id = 'new' then interval '1 h'
                when e.tracking_id = 'in the span' or e.name like '%StatusChanged' then interval '2 h'
                else interval '3 h' end as at
         from events e where e.position >= (select min(position) from events where gateway = $1)), aged as (
       update messages f set notified_at = stored.at from stored where f.position = stored.position)
     update ingest_batches b set committed_at = stored.at from stored where stored.position between b.first_position and b.last_position`,
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
  const allTypes = (await shop.sent(id)).map(({ type }) => type)
  t.same(allTypes, ['subscription.paused', 'payment.executed'])
  t.same(memosOf(await shop.sent(id)), ['old', 'in the span'])
})
