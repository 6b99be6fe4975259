import { doWebhookWork } from '@payment-tracking/store/deliveries'
import { addEvent, countRows } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { signatureOf } from '../open-chain.js'

t.test('deliveries over REST', async t => {
  const api = await openGatewayApi(t)
  const { gateway, token, addWebhook: create } = await addSignedIn(api)

  t.test('deliveries are found over all webhooks of the gateway alone', async t => {
    const found = async (query: string, by = token) =>
      api.call('GET', `/v1/webhooks/deliveries?${query}`, { token: by })
    t.equal((await found('')).status, 400)
    t.equal((await found('status=failed')).status, 400)
    const other = await api.addGateway()
    const strangers = await api.call('POST', '/v1/webhooks', {
      token: await api.signIn(other),
      body: { gateway_pubkey: other.address, endpoint_url: 'https://other.example/', format: 'standard' },
    })
    const ids = [(await create()).body.id, (await create()).body.id, strangers.body.id]
    const columns = { signature: signatureOf('found'), gateway: gateway.address, tracking_id: 'order-9' }
    const eventId = await addEvent(api.database.pool, columns)
    for (const id of ids)
      await api.database.pool.query(
        `insert into deliveries (webhook_id, event_id, message_id, type, message) values ($1, $2, 'm', 'payment.executed', 0)`,
        [id, eventId],
      )
    for (const query of [
      'trackingId=order-9',
      `signature=${signatureOf('found')}`,
      'trackingId=order-9&status=pending',
    ]) {
      const { status, body } = await found(query)
      t.equal(status, 200)
      const webhookIds = body.map((each: { webhookId: number }) => each.webhookId)
      t.same(webhookIds, [ids[1], ids[0]], query)
      t.match(body[0], { trackingId: 'order-9', signature: signatureOf('found'), eventId })
    }
    t.same((await found('trackingId=order-9&status=failed')).body, [])
    t.same((await found('trackingId=order-10')).body, [])
    for (const id of ids.slice(0, 2)) await api.call('DELETE', `/v1/webhooks/${id}`, { token })
    t.same((await found('trackingId=order-9')).body, [], 'a deleted webhook shows nothing')
  })

  t.test('a delivery of a format for people shows the line that is sent', async t => {
    const { id, ratePerSecond } = (await create({ format: 'discord' })).body
    t.equal(ratePerSecond, 1)
    t.equal((await create({ format: 'slack', ratePerSecond: 50 })).body.ratePerSecond, 50)
    const other = (await create()).body.id
    const put = async (body: object) =>
      (await api.call('PUT', `/v1/webhooks/${other}`, { token, body })).body.ratePerSecond
    t.equal(await put({ format: 'slack' }), 1, 'also where the format is chosen later')
    t.equal(await put({ format: 'standard', ratePerSecond: 50 }), 50)
    t.equal(await put({ format: 'slack' }), 50, 'what was chosen stays')
    t.equal(await put({ format: 'standard' }), 50)
    t.equal(await put({ format: 'discord', ratePerSecond: null }), null, 'null is a choice')
    const test = (await api.call('POST', `/v1/webhooks/${id}/test`, { token })).body
    const { body } = (await api.call('GET', `/v1/webhooks/${id}/deliveries/${test.id}`, { token })).body
    t.same(JSON.parse(body), { content: `Test message: webhook ${id}`, allowed_mentions: { parse: [] } })
    await api.call('DELETE', `/v1/webhooks/${id}`, { token })
  })

  t.test("a gateway's deliveries of one status are listed over all its webhooks, in pages", async t => {
    const shop = await addSignedIn(api)
    const all = `/v1/gateway/${shop.gateway.address}/deliveries`
    const list = (query: string) =>
      api.call('GET', query.startsWith('/') ? query : all + query, { token: shop.token })
    t.same((await list('')).body, [], 'without a webhook there are none')
    const ids = [
      (await shop.addWebhook()).body.id,
      (await shop.addWebhook()).body.id,
      (await create()).body.id,
    ]
    const add = async (webhookId: number, state: string) => {
      const { rows } = await api.database.pool.query(
        `insert into deliveries (webhook_id, message_id, type, message, state)
         values ($1, gen_random_uuid(), 'payment.executed', 0, $2) returning id`,
        [webhookId, state],
      )
      return Number(rows[0].id)
    }
    const failed: number[] = []
    for (const n of [0, 1, 0, 1, 1]) failed.unshift(await add(ids[n], 'failed'))
    await add(ids[2], 'failed')
    const open = await add(ids[0], 'pending')
    const idsOf = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id)
    t.same(idsOf(await list('?status=failed')), failed)
    t.same(idsOf(await list('')), [open, ...failed])
    t.same(idsOf(await list('?status=failed&limit=2&offset=1')), failed.slice(1, 3))
    const first = await list('?status=failed&limit=3')
    const second = await list(/<(.+)>; rel="next"/.exec(first.headers.link as string)![1]!)
    t.same([...idsOf(first), ...idsOf(second)], failed, 'the link carries the status')
    t.notOk(second.headers.link)
    t.equal((await list('?status=late')).status, 400)
    t.match((await list('?cursor=x')).body, { error: 'Parameter cursor is no cursor of this list.' })
    await api.call('PUT', `/v1/webhooks/${ids[0]}`, { token: shop.token, body: { active: false } })
    t.same(idsOf(await list('?status=cancelled')), [open], 'as everybody reads it, whatever its row says')
    await api.call('DELETE', `/v1/webhooks/${ids[1]}`, { token: shop.token })
    t.same(idsOf(await list('?status=failed')), [failed[2], failed[4]], 'a deleted webhook shows nothing')
  })

  t.test('deactivating cancels open deliveries; only redelivering resumes them', async t => {
    const { id } = (await create()).body
    const test = await api.call('POST', `/v1/webhooks/${id}/test`, { token })
    t.equal(test.status, 202)
    t.match(test.body, { type: 'webhook.test', status: 'pending', attempts: 0, eventId: null })
    const path = `/v1/webhooks/${id}/deliveries/${test.body.id}`
    const put = (active: boolean) => api.call('PUT', `/v1/webhooks/${id}`, { token, body: { active } })
    t.match((await put(false)).body, { id, active: false })
    const cancelledOne = (await api.call('GET', path, { token })).body
    t.match(cancelledOne, { status: 'cancelled', nextAttemptAt: null, attemptLog: [] })
    t.match((await api.call('POST', `${path}/redeliver`, { token })).body, { code: 'WEBHOOK_INACTIVE' })
    t.equal((await api.call('POST', `/v1/webhooks/${id}/test`, { token })).status, 409)
    t.match((await put(true)).body, { active: true })
    t.match((await api.call('GET', path, { token })).body, { status: 'cancelled' })
    const again = await api.call('POST', `${path}/redeliver`, { token })
    t.equal(again.status, 202)
    t.match(again.body, { status: 'pending', messageId: test.body.messageId })
  })

  t.test('bulk redelivery accepts a time span and a status', async t => {
    const { id } = (await create()).body
    const add = (state: string, createdAt: string) =>
      api.database.pool.query(
        `insert into deliveries (webhook_id, message_id, type, message, state, created_at, finished_at)
         values ($1, gen_random_uuid(), 'payment.executed', 0, $2, $3, $3)`,
        [id, state, createdAt],
      )
    for (const state of ['failed', 'cancelled', 'delivered']) {
      await add(state, '2026-10-01T00:00:00Z')
      await add(state, '2026-10-02T00:00:00Z')
    }
    const redeliver = (body: unknown) => api.call('POST', `/v1/webhooks/${id}/redeliver`, { token, body })
    t.strictSame((await redeliver({ since: '2026-10-03' })).body, { count: 0, more: false })
    t.strictSame((await redeliver({ since: '2026-10-02', status: 'failed' })).body, { count: 1, more: false })
    const ofSeptember = (await redeliver({ since: '2026-09-01', until: '2026-10-01T00:00:00Z' })).body
    t.strictSame(ofSeptember, { count: 2, more: false })
    t.equal((await redeliver({})).status, 400)
    t.equal((await redeliver({ since: 'yesterday' })).status, 400)
    const list = await api.call('GET', `/v1/webhooks/${id}/deliveries?status=pending`, { token })
    t.equal(list.body.length, 3)
    t.equal((await api.call('GET', `/v1/webhooks/${id}/deliveries?status=lost`, { token })).status, 400)
  })
})

t.test('a gateway redelivers so many deliveries a day; a span goes on the next day', async t => {
  const api = await openGatewayApi(t)
  const { pool } = api.database
  const { gateway, token, addWebhook: create } = await addSignedIn(api)
  const [{ id }, { id: second }] = [(await create()).body, (await create()).body]
  const add = async (webhook: number, count: number) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into deliveries (webhook_id, message_id, type, message, state, created_at, finished_at)
       select $1, gen_random_uuid(), 'payment.executed', 0, 'failed', '2026-10-01', now() from generate_series(1, $2::int)
       returning id`,
      [webhook, count],
    )
    return rows.map(row => row.id)
  }
  // Three are left of the 100,000 of today.
  await pool.query(
    `insert into redelivery_counts (gateway, day, redelivered) values ($1, (now() at time zone 'UTC')::date, 99997)`,
    [gateway.address],
  )
  const [one] = await add(id, 5)
  const [other] = await add(second, 1)
  const redeliver = (path: string, body?: unknown) =>
    api.call('POST', `/v1/webhooks/${path}`, { token, body })
  const countPending = () => countRows(pool, `deliveries where state = 'pending'`)
  const goOn = () => doWebhookWork(api.store, { kinds: ['redeliver'] })

  t.equal((await redeliver(`${id}/deliveries/${one}/redeliver`)).status, 202)
  t.strictSame((await redeliver(`${id}/redeliver`, { since: '2026-10-01' })).body, { count: 2, more: true })
  t.match(await goOn(), { handled: 0, hasMore: true }, 'the day is spent')
  t.equal(await goOn(), null, 'and the span waits until the next')
  t.equal(await countPending(), 3)
  for (const [path, body] of [
    [`${second}/deliveries/${other}/redeliver`],
    [`${second}/redeliver`, { since: '2026-10-01' }],
  ] as [string, unknown?][]) {
    const refused = await redeliver(path, body)
    t.equal(refused.status, 429)
    t.match(refused.body, { code: 'REDELIVERY_QUOTA', error: /goes on at \d{4}-\d\d-\d\dT00:00:00Z/ })
    const seconds = Number(refused.headers['retry-after'])
    t.ok(seconds > 0 && seconds <= 86_400, `${seconds}`)
  }
  await pool.query(`update redelivery_counts set day = day - 1 where gateway = $1`, [gateway.address])
  await pool.query('update work set next_at = now()')
  t.match(await goOn(), { handled: 2, hasMore: false })
  t.equal((await redeliver(`${second}/deliveries/${other}/redeliver`)).status, 202)
  const { rows } = await pool.query('select redelivered::int from redelivery_counts')
  t.strictSame(rows, [{ redelivered: 3 }], 'the new day counts anew')
})
