import { addEvent, insertWebhook } from '@payment-tracking/testkit'
import t from 'tap'
import { expected, fillFromFixtures } from './fill-from-fixtures.js'
import { openGatewayApi } from './gateway-auth/open-gateway-api.js'
import { openApi } from './open-api.js'

const { get, store, database } = await openApi(t)
await fillFromFixtures(store)

t.test('a trace shows each stage of every payment of a transaction', async t => {
  const { rows } = await database.pool.query<{ signature: string; count: string }>(
    `select signature, count(*) from events where name = 'PaymentRecord' group by 1 order by 2 desc, 1 limit 1`,
  )
  const { signature, count } = rows[0]!
  t.ok(Number(count) > 1, 'the fixtures have a transaction with several payments')
  const before = await get(`/v1/payments/${signature}/trace`)
  t.equal(before.status, 200)
  t.equal(before.body.length, Number(count))
  for (const record of before.body) {
    t.match(record, {
      eventId: String,
      gateway: String,
      amount: Number,
      chain: { slot: Number, timestamp: /Z$/, paidAt: Number },
      stream: { sequence: Number },
      stored: { at: /Z$/, position: Number },
      announced: { at: null, done: false },
    })
    t.notOk('deliveries' in record)
  }
  await database.pool.query('update ingest_batches set relayed_at = now()')
  t.match((await get(`/v1/payments/${signature}/trace`)).body[0].announced, { at: /Z$/, done: true })

  // The batch of this payment is old and gone. The earlier batch that is still there must not count for it.
  await database.pool.query('insert into ingest_batches (first_position, last_position) values (0, 0)')
  await database.pool.query('delete from ingest_batches where first_position > 0')
  const traced = (await get(`/v1/payments/${signature}/trace`)).body[0]
  t.match(traced, { stored: { at: null, position: Number }, announced: { at: null, done: true } })
})

t.test('a transaction without payments is not found, and a bad token is refused', async t => {
  const { rows } = await database.pool.query<{ signature: string }>(
    `select signature from events where name = 'PaymentGatewayCreated' limit 1`,
  )
  const path = `/v1/payments/${rows[0]!.signature}/trace`
  t.match(await get(path), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match(await get(path, { headers: { authorization: 'Bearer a.b.c' } }), { status: 401 })
  t.match(await get('/v1/payments/nonsense/trace'), { status: 400, body: { code: 'INVALID_PARAMETER' } })
})

t.test('a gateway sees which of its webhooks wait for a payment, and for what', async t => {
  const api = await openGatewayApi(t)
  const [own, other] = [await api.addGateway(), await api.addGateway()]
  const signature = expected.oneTime[0]!.newestFirst[0]!.signature as string
  const addWebhook = async (gateway: string, active = true): Promise<number> =>
    Number(await insertWebhook(api.database.pool, gateway, { active }))
  const [facts, finality] = [await addWebhook(own.address), await addWebhook(own.address)]
  const columns = { signature, gateway: own.address, payment_policy: own.address }
  const payment = await addEvent(api.database.pool, columns)
  for (const id of [facts, await addWebhook(own.address, false), await addWebhook(other.address)])
    await api.database.pool.query(
      `insert into waiting_messages (webhook_id, message_id, event_id, policy, slot, type, waits_for)
       values ($1, $2, $3, $4, 1, 'payment.executed', 'details')`,
      [id, payment, payment, own.address],
    )
  await api.database.pool.query(
    `insert into waiting_messages (webhook_id, message_id, event_id, policy, slot, type, waits_for)
     values ($1, $2, $3, $4, 1, 'payment.executed', 'finality')`,
    [finality, payment, payment, own.address],
  )
  const path = `/v1/payments/${signature}/trace`
  const { body } = await api.call('GET', path, { token: await api.signIn(own) })
  t.same(body[0].deliveries, [])
  t.same(body[0].awaiting, [
    { webhookId: facts, awaits: 'facts' },
    { webhookId: finality, awaits: 'finality' },
  ])
  await api.database.pool.query(
    `with d as (insert into deliveries (webhook_id, message_id, event_id, type, message, state, attempts_made, defer_reason, due_at)
                values ($1, 'held', $2, 'payment.executed', 0, 'waiting', 2, 'breaker open', now() + interval '1 h') returning id)
     insert into delivery_attempts (delivery_id, number, finished_at, outcome, status_code, error)
     select id, n, now(), 'refused', case n when 1 then 500 end, case n when 1 then 'status' else 'timeout' end
       from d, generate_series(1, 2) n`,
    [facts, payment],
  )
  const held = (await api.call('GET', path, { token: await api.signIn(own) })).body[0].deliveries
  t.match(held, [{ state: 'waiting', heldReason: 'breaker open' }])
  t.match(held[0].attemptLog, [{ statusCode: 500 }, { statusCode: null, error: 'timeout' }])
  for (const token of [undefined, await api.signIn(other)])
    t.notOk('awaiting' in (await api.call('GET', path, token === undefined ? {} : { token })).body[0])
})
