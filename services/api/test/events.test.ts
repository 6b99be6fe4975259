// Lists of events: filters together, order, pages, and stable pages while other sessions write.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { fillFromFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
await fillFromFixtures(api.store)
const { pool } = api.database
const NEWEST = 'order by occurred_at desc, slot desc, event_index desc, id desc'
const idsOf = async (condition: string, order = NEWEST) =>
  (await pool.query<{ id: string }>(`select id from events where ${condition} ${order}`)).rows.map(
    ({ id }) => id,
  )
const list = async (query: string, path = '/v1/events') => {
  const answer = await api.get(`${path}?${query}`)
  t.equal(answer.status, 200, query)
  return { ids: (answer.body as { id: string }[]).map(({ id }) => id), ...answer }
}

t.test('each kind of event has its list', async t => {
  const { rows } = await pool.query<Record<string, string | null>>(
    `select distinct on (name) name, gateway, payment_policy, recipient, user_payment, authority from events order by name`,
  )
  const of = (name: string) => rows.find(row => row.name === name)
  for (const [path, name, ...filters] of [
    ['payments', 'PaymentRecord', 'gateway', 'payment_policy'],
    ['policies/created', 'PaymentPolicyCreated', 'gateway', 'recipient', 'user_payment'],
    ['policies/deleted', 'PaymentPolicyDeleted', 'payment_policy'],
    ['policies/status-changed', 'PaymentPolicyStatusChanged', 'payment_policy'],
    ['gateways/created', 'PaymentGatewayCreated', 'authority'],
    ['gateways/deleted', 'PaymentGatewayDeleted', 'gateway', 'authority'],
    ['gateways/signer-changed', 'GatewaySignerChanged', 'gateway'],
    ['gateways/fee-bps-changed', 'GatewayFeeBpsChanged', 'gateway'],
    ['gateways/fee-recipient-changed', 'GatewayFeeRecipientChanged', 'gateway'],
    ['user-payments/created', 'UserPaymentCreated', 'user_payment'],
  ] as const) {
    const route = `/v1/events/${path}`
    t.strictSame((await list('limit=1000', route)).ids, await idsOf(`name = '${name}'`), path)
    for (const filter of filters) {
      const value = of(name)?.[filter]
      if (!value) continue
      const parameter = filter.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
      const wanted = await idsOf(`name = '${name}' and ${filter} = '${value}'`)
      t.ok(wanted.length > 0, `${path} by ${parameter} finds something`)
      const listedIds = (await list(`${parameter}=${value}&limit=1000`, route)).ids
      t.strictSame(listedIds, wanted, `${path} by ${parameter}`)
    }
  }
})

t.test('an event name of which nothing was ever stored is named', async t => {
  const headerOf = async (path: string) => {
    const { status, headers } = await api.get(path)
    t.equal(status, 200, path)
    return headers['x-unknown-event-name']
  }
  for (const path of [
    '/v1/events?eventName=Payment',
    '/v1/events?eventName=tributary_Payment&limit=1',
    '/v1/events/count?eventName=Payment',
    '/v1/events/count?eventName=Payment&startTime=2026-01-01',
    '/v1/events/typed/Payment',
  ])
    t.equal(await headerOf(path), 'Payment', path)
  for (const path of [
    '/v1/events?eventName=PaymentRecord&slot=1',
    '/v1/events/count?eventName=PaymentRecord&startTime=2099-01-01',
    '/v1/events?trackingId=nobody',
  ])
    t.equal(await headerOf(path), undefined, `${path} finds nothing, and the name is right`)
})

t.test('limit and offset have defaults and bounds', async t => {
  const all = await idsOf('true')
  t.strictSame((await list('')).ids, all.slice(0, 100))
  t.strictSame((await list('offset=120&limit=7')).ids, all.slice(120, 127))
  t.strictSame((await list('offset=1000000')).ids, [])
  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'offset=-1',
    'offset=1e3',
    'limit=1&limit=2',
    'limit=',
    'trackingId=',
    'eventName=',
    'gateway=',
    'startTime=',
    'retracted=',
    'cursor=',
  ]) {
    const { status, body } = await api.get(`/v1/events?${query}`)
    t.match(
      { status, body },
      { status: 400, body: { code: 'INVALID_PARAMETER', error: new RegExp(query.split('=')[0]!) } },
      query,
    )
  }
})

t.test('pages by cursor stay consistent while other sessions insert', async t => {
  const follow = async (query: string, order?: string, condition = 'true') => {
    const wanted = await idsOf(condition, order)
    const seen: string[] = []
    let url: string | undefined = `/v1/events?${query}&limit=40`
    while (url !== undefined) {
      const { body, headers, status } = await api.get(url)
      t.equal(status, 200, url)
      seen.push(...(body as { id: string }[]).map(({ id }) => id))
      url = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1]
      if (url !== undefined) t.ok(url.includes(`cursor=${headers['x-next-cursor']}`))
      // Newer than all other events, so it would come before all remaining pages.
      await pool.query(`
        with head as (update stream_head set position = position + 1 returning position)
        insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence)
        select gen_random_uuid(), position, 1000000000 + position, 's', 0, 'Later', '{}', 'confirmed', now() + interval '1 year', gen_random_uuid(), 1 from head`)
    }
    t.strictSame(seen, wanted, query)
  }
  await follow('eventName=PaymentRecord', NEWEST, `name = 'PaymentRecord'`)
  await follow('')
  await follow(
    'minSlot=1&maxSlot=999999999',
    'order by slot desc, occurred_at desc, event_index desc, id desc',
    'slot < 1000000000',
  )
  await pool.query(`delete from events where name = 'Later'`)
})

t.test('a cursor of another list is refused', async t => {
  const time = (await list('limit=1')).headers['x-next-cursor']
  const slot = (await list('minSlot=1&limit=1')).headers['x-next-cursor']
  for (const url of [
    `/v1/events?minSlot=1&cursor=${time}`,
    `/v1/events?minSlot=2&cursor=${slot}`,
    `/v1/events?minSlot=1&maxSlot=2&slot=3&cursor=${slot}`,
    `/v1/events?cursor=${slot!.split('.')[0]}`,
    `/v1/events?cursor=.${slot!.split('.')[1]}`,
    `/v1/events?cursor=${slot}.x`,
    `/v1/events/payments?cursor=${slot}`,
    `/v1/subscriptions?trackingId=x&cursor=${time}`,
  ]) {
    t.match(await api.get(url), { status: 400, body: { code: 'INVALID_PARAMETER', error: /cursor/ } }, url)
  }
})

t.test('a cursor carries its filters, so a client sends only the cursor', async t => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from events where name = 'PaymentRecord' and slot >= 1 ${NEWEST} limit 6`,
  )
  const ids = rows.map(({ id }) => id)
  const first = await list('eventName=PaymentRecord&minSlot=1&limit=3')
  const cursor = first.headers['x-next-cursor']!
  t.equal(first.headers.link, `</v1/events?cursor=${cursor}>; rel="next"`)
  t.strictSame((await list(`cursor=${cursor}`)).ids, ids.slice(3))
  const laterIds = (await list(`cursor=${cursor}&eventName=PaymentRecord&minSlot=1`)).ids
  t.strictSame(laterIds, ids.slice(3), 'as before')
  t.strictSame((await list(`cursor=${cursor}&limit=1`)).ids, ids.slice(3, 4), 'a page of another length')
})

t.test('the next page is offered with the same filters, whatever their values', async t => {
  await pool.query(`update events set tracking_id = 'a "<>&é ☕' where id in (select id from events limit 3)`)
  const query = `trackingId=${encodeURIComponent('a "<>&é ☕')}&limit=2&offset=0`
  const { headers } = await list(query)
  const next = /^<(.*)>; rel="next"$/.exec(headers.link!)![1]!
  t.match(next, /^\/v1\/events\?[\x21-\x7e]*$/)
  await waitFor(async () => (await api.get(next)).body.length === 1)
})
