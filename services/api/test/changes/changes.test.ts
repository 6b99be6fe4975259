// The log of who changed what: every writing route leaves its row, in its transaction, and no row holds a secret.
import { readFileSync } from 'node:fs'
import { countRows, buildAddress, workAsIngest } from '@payment-tracking/testkit'
import { deactivateWebhooks } from '@payment-tracking/store/deliveries'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'

const api = await openGatewayApi(t)
workAsIngest(t, api.store)
const { pool } = api.database
const shop = await addSignedIn(api)
const { address, authority } = shop.gateway
const PATH = `/v1/gateway/${address}/changes`
const list = async (query = '') => (await api.call('GET', PATH + query, { token: shop.token })).body
const put = (path: string, body: unknown, token = shop.token) => api.call('PUT', path, { token, body })
const countChanges = () => countRows(pool, 'gateway_changes')

/** Writing routes that change nothing which lasts: they act once. */
const ACTS = /redeliver|replay|^testWebhook$|^createExpectation$|^openSession$|^createSignInLink$/
/** What a gateway calls its customers: a thousand names would push every other change out of the log. */
const NAMES = 'nameSubscriber'
const LOGGED = [
  ...['createWebhook', 'updateWebhook', 'rotateWebhookSecret', 'deleteWebhook', 'deleteWebhooksOfGateway'],
  ...['createApiKey', 'revokeApiKey', 'endGatewaySession', 'endGatewaySessions'],
  ...['updateGatewaySettings', 'cancelExpectation'],
]

t.test('every writing route of a gateway is logged, or acts once', async t => {
  const file = new URL('../../../../packages/client/openapi.json', import.meta.url)
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; security?: Record<string, string[]>[] }>>
  }
  const writing = Object.values(paths).flatMap(methods =>
    Object.entries(methods).flatMap(([method, { operationId, security = [] }]) =>
      method !== 'get' && security.some(each => 'gatewayToken' in each) ? [operationId] : [],
    ),
  )
  t.same(writing.filter(id => !ACTS.test(id)).sort(), [...LOGGED, NAMES].sort())
})

t.test('each change is there with who and what, and without a value', async t => {
  const secretUrl = 'https://hooks.shop.example/services/T0/hidden-path?key=hidden-query'
  const headers = { authorization: 'hidden-header' }
  const { body: created } = await shop.addWebhook({ endpoint_url: secretUrl, headers })
  const { body: key } = await api.call('POST', '/v1/api-keys', {
    token: shop.token,
    body: { name: 'order server', scopes: ['webhooks:write', 'expectations'] },
  })
  const path = `/v1/webhooks/${created.id}`
  await put(path, { description: 'hidden-text', eventTypes: ['payment.retracted'], ordered: false }, key.key)
  await put(path, { description: 'hidden-text' }, key.key)
  await put(path, { headers: { authorization: 'hidden-header' } })
  await put(path, { active: false, recover: true })
  await put(path, { active: true })
  const rotated = await api.call('POST', `${path}/secret/rotate`, { token: shop.token, body: {} })
  await put(`/v1/gateway/${address}/settings`, { webhookRecover: true })
  await put(`/v1/gateway/${address}/settings`, { webhookRecover: true })
  const terms = { recipient: buildAddress('till'), tokenMint: buildAddress('mint'), amount: 5 }
  const { body: expected } = await api.call('POST', `/v1/gateway/${address}/expectations`, {
    token: key.key,
    body: { ...terms, trackingId: 'order-9', reference: 'hidden-reference' },
  })
  const cancel = () =>
    api.call('POST', `/v1/gateway/${address}/expectations/${expected.id}/cancel`, { token: key.key })
  t.same([(await cancel()).status, (await cancel()).status], [200, 200])
  await deactivateWebhooks(api.store, [BigInt(created.id)], 'failing')
  await api.call('DELETE', path, { token: shop.token })
  await shop.addWebhook()
  await api.call('DELETE', `/v1/webhooks/gateway/${address}`, { token: shop.token })
  await api.call('DELETE', `/v1/api-keys/${key.id}`, { token: shop.token })
  const links = [1, 2].map(() => api.call('POST', '/v1/session/links', { token: shop.token }))
  const statuses = (await Promise.all(links)).map(({ status }) => status)
  t.same(statuses, [201, 201])
  const { body: sessions } = await api.call('GET', '/v1/sessions', { token: shop.token })
  for (const which of [`/${sessions[0].id}`, `/${sessions[0].id}`, '', ''])
    await api.call('DELETE', `/v1/sessions${which}`, { token: shop.token })

  const changes = (await list()).toReversed()
  const ofWebhook = { subject: String(created.id), name: 'hooks.shop.example' }
  const wallet = { wallet: authority.publicKey, apiKey: null }
  const machine = { wallet: authority.publicKey, apiKey: { id: key.id, name: 'order server' } }
  const change = (kind: string, what: object, who: object, fields: string[] = []) => ({
    kind,
    ...what,
    ...who,
    fields,
  })
  const last = String(created.id + 1)
  t.strictSame(
    changes.map(({ id: _id, at: _at, ...rest }: { id: number; at: string }) => rest),
    [
      change('webhook.created', ofWebhook, wallet),
      change('api_key.created', { subject: String(key.id), name: 'order server' }, wallet, [
        ...['webhooks:write', 'expectations'],
      ]),
      change('webhook.changed', ofWebhook, machine, ['eventTypes', 'description']),
      change('webhook.changed', ofWebhook, wallet, ['headers']),
      change('webhook.changed', ofWebhook, wallet, ['recover']),
      change('webhook.deactivated', ofWebhook, wallet),
      change('webhook.activated', ofWebhook, wallet),
      change('webhook.secret_rotated', ofWebhook, wallet),
      change('settings.changed', { subject: null, name: null }, wallet, ['webhookRecover']),
      change('expectation.cancelled', { subject: expected.id, name: 'order-9' }, machine),
      change('webhook.deactivated', ofWebhook, { wallet: null, apiKey: null }),
      change('webhook.deleted', ofWebhook, wallet),
      change('webhook.created', { subject: last, name: 'shop.example' }, wallet),
      change('webhook.deleted', { subject: last, name: 'shop.example' }, wallet),
      change('api_key.revoked', { subject: String(key.id), name: 'order server' }, wallet),
      change('session.ended', { subject: String(sessions[0].id), name: null }, wallet),
      change('sessions.ended', { subject: null, name: null }, wallet),
    ],
  )
  const { rows } = await pool.query('select c::text as row from gateway_changes c')
  for (const secret of ['hidden', created.secret, rotated.body.secret, key.key, key.hint])
    t.notOk(JSON.stringify(rows).includes(secret), 'no row holds a value')
})

t.test('a change and its row are one: without the one there is not the other', async t => {
  const { body: webhook } = await shop.addWebhook()
  const before = await countChanges()
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
     create trigger refuse before insert on gateway_changes for each row execute function refuse()`,
  )
  t.equal((await put(`/v1/webhooks/${webhook.id}`, { description: 'never' })).status, 500)
  t.equal((await shop.addWebhook()).status, 500)
  await pool.query('drop trigger refuse on gateway_changes; drop function refuse')
  const left = (await api.call('GET', '/v1/webhooks', { token: shop.token })).body
  t.match(left, [{ id: webhook.id, description: null }])
  t.equal((await put(`/v1/webhooks/${webhook.id + 1}`, { active: false })).status, 404)
  t.equal((await put(`/v1/webhooks/${webhook.id}`, { minAmount: 1 })).status, 400)
  t.equal(await countChanges(), before)
})

t.test('the newest 1,000 of a gateway stay, and are read in pages', async t => {
  const other = await addSignedIn(api)
  const fill = (gateway: string, count: number) =>
    pool.query(
      `insert into gateway_changes (gateway, kind, fields)
       select $1, 'settings.changed', array['webhookFormat'] from generate_series(1, $2)`,
      [gateway, count],
    )
  await fill(other.gateway.address, 3)
  await fill(address, 1_050)
  const settings = `/v1/gateway/${address}/settings`
  for (const webhookFormat of ['tributary', 'standard', 'tributary']) await put(settings, { webhookFormat })
  const { rows } = await pool.query(
    'select count(*)::int as count from gateway_changes group by gateway order by 1',
  )
  t.same(rows, [{ count: 3 }, { count: 1_000 }])
  const ids: number[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { body, headers } = await api.call('GET', `${PATH}?limit=300${cursor && `&cursor=${cursor}`}`, {
      token: shop.token,
    })
    ids.push(...body.map(({ id }: { id: number }) => id))
    cursor = headers['x-next-cursor'] as string | undefined
  }
  t.equal(new Set(ids).size, 1_000)
  const inOrder = [...ids].sort((a, b) => b - a)
  t.same(ids, inOrder, 'newest first, each once')
  t.match((await list('?limit=1'))[0], { kind: 'settings.changed', wallet: authority.publicKey })
  t.match(await api.call('GET', `${PATH}?cursor=x`, { token: shop.token }), { status: 400 })
})
