import t from 'tap'
import { expected, fillFromFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

t.test('a trace tells each stage of every payment of a transaction', async t => {
  const { get, store, database } = await openApi(t)
  await fillFromFixtures(store)
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
      announced: { at: null },
    })
    t.notOk('deliveries' in record)
  }
  await database.pool.query('update ingest_batches set handed_over_at = now()')
  t.match((await get(`/v1/payments/${signature}/trace`)).body[0].announced, { at: /Z$/ })
})

t.test('a transaction without payments is not found, and a bad token is refused', async t => {
  const { get, store, database } = await openApi(t)
  await fillFromFixtures(store)
  const { rows } = await database.pool.query<{ signature: string }>(
    `select signature from events where name = 'PaymentGatewayCreated' limit 1`,
  )
  const path = `/v1/payments/${rows[0]!.signature}/trace`
  t.match(await get(path), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match(await get(path, { headers: { authorization: 'Bearer a.b.c' } }), { status: 401 })
  t.match(await get('/v1/payments/nonsense/trace'), { status: 400, body: { code: 'INVALID_PARAMETER' } })
  t.ok(expected.stored > 0)
})
