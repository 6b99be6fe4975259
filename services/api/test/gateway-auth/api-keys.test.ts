// Keys of machines: what they may do, when they end, and what nobody can learn.
import t from 'tap'
import { revokeKeysOfDeletedGateways } from '@payment-tracking/store/core'
import { makeWallet, openGatewayApi } from './open-gateway-api.js'

t.test('API keys', async t => {
  const api = await openGatewayApi(t)
  const { pool } = api.database
  const [owner, other] = [await api.addGateway(), await api.addGateway()]
  const token = await api.signIn(owner)
  const make = (body: unknown, by: string | undefined = token) =>
    api.call('POST', '/v1/api-keys', { token: by, body })
  const keyOf = async (scopes: string[], by = token): Promise<{ id: number; key: string }> =>
    (await make({ name: 'machine', scopes }, by)).body
  const list = async () => (await api.call('GET', '/v1/api-keys', { token })).body

  t.test('a key is shown once and stored as a hash', async t => {
    const { status, body, headers } = await make({ name: 'order server', scopes: ['webhooks:read'] })
    t.equal(status, 201)
    t.equal(headers['cache-control'], 'no-store')
    const { key, ...record } = body
    t.match(key, /^ptk_[\w-]{43}$/)
    t.match(record, {
      name: 'order server',
      scopes: ['webhooks:read'],
      hint: key.slice(0, 10),
      createdBy: owner.authority.publicKey,
      expiresAt: null,
      lastUsedAt: null,
      ended: false,
    })
    t.strictSame(await list(), [record])
    const { rows } = await pool.query('select k::text as row from api_keys k')
    t.notOk(JSON.stringify(rows).includes(key.slice(10)), 'no row holds the key')
    t.equal((await api.call('GET', '/v1/webhooks', { token: key })).status, 200)
    for (const line of api.logs) t.notOk(line.includes(key.slice(10)), 'no log line holds the key')
  })

  t.test('anything that is no key is refused, and the holder of a key learns how it ended', async t => {
    const { key } = await keyOf(['webhooks:read'])
    const { body: expired } = await make({ name: 'old', scopes: ['webhooks:read'], expiresAt: '2999-01-01' })
    t.equal(expired.expiresAt, '2999-01-01T23:59:59.999Z', 'a date means until the end of that day')
    await pool.query(`update api_keys set expires_at = now() - interval '1 s' where id = $1`, [expired.id])
    const revoked = await keyOf(['webhooks:read'])
    t.equal((await api.call('DELETE', `/v1/api-keys/${revoked.id}`, { token })).status, 204)
    t.equal((await api.call('DELETE', `/v1/api-keys/${revoked.id}`, { token })).status, 404)
    const [{ hash }] = (await pool.query('select hash from api_keys limit 1')).rows
    const flip = (at: number) => key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1)
    const sentences = new Set<string>()
    const wrong = [
      ...[flip(4), flip(20), flip(46), key.slice(0, 10), `${key}A`, key.toUpperCase(), `x${key.slice(1)}`],
      ...[
        expired.key,
        revoked.key,
        hash,
        `ptk_${hash.slice(0, 43)}`,
        'ptk_',
        "ptk_' or true --",
        `${key}\t.b`,
      ],
    ]
    for (const text of wrong) {
      const { status, body, headers } = await api.call('GET', '/v1/webhooks', { token: text })
      t.equal(status, 401, text)
      t.equal(body.code, 'UNAUTHORIZED')
      t.match(headers['www-authenticate'], /^Bearer/)
      if (/^ptk_[\w-]{43}$/.test(text)) sentences.add(body.error)
      else t.match(body.error, /\s/.test(text) ? /^Sign in/ : /neither a token nor a whole API key, /, text)
    }
    t.match([...sentences].sort(), [
      /^The API key has expired\./,
      /^The API key was revoked\./,
      /^There was never/,
    ])
    t.equal((await api.call('GET', '/v1/webhooks', { token: key })).status, 200, 'the key still counts')
  })

  t.test('bad requests for a key are refused by field', async t => {
    for (const [body, field] of [
      [{ scopes: ['merchant:read'] }, 'name'],
      [{ name: '', scopes: ['merchant:read'] }, 'Field name must have at least 1 character.'],
      [{ name: 'x', scopes: [] }, 'Field scopes must have at least 1 item.'],
      [{ name: 'x', scopes: ['everything'] }, 'scopes'],
      [{ name: 'x', scopes: ['merchant:read', 'merchant:read'] }, 'scopes must not name an item twice.'],
      [{ name: 'x', scopes: ['merchant:read'], expiresAt: '2020-01-01' }, 'expiresAt must be in the future.'],
      [{ name: 'x', scopes: ['merchant:read'], expiresAt: 'soon' }, 'expiresAt must be an ISO 8601 date or'],
      [{ name: 'x', scopes: ['merchant:read'], gateway: other.address }, 'gateway'],
    ] as const) {
      const answer = await make(body)
      t.equal(answer.status, 400, JSON.stringify(body))
      t.ok(answer.body.error.includes(field), answer.body.error)
    }
    t.equal(
      (await api.call('POST', '/v1/api-keys', { body: { name: 'x', scopes: ['merchant:read'] } })).status,
      401,
    )
  })

  t.test('the last use is kept, and written once a minute', async t => {
    const { id, key } = await keyOf(['webhooks:read'])
    const lastUse = async () =>
      (await list()).find((each: { id: number }) => each.id === id).lastUsedAt as string | null
    t.equal(await lastUse(), null)
    await api.call('GET', '/v1/webhooks', { token: key })
    const first = await lastUse()
    t.match(first, /^\d{4}-.*Z$/)
    await api.call('GET', '/v1/webhooks', { token: key })
    t.equal(await lastUse(), first)
    await pool.query(`update api_keys set last_used_at = now() - interval '2 min' where id = $1`, [id])
    await api.call('GET', '/v1/webhooks', { token: key })
    t.not(await lastUse(), first)
  })

  t.test('a gateway has at most 20 keys, even with concurrent requests', async t => {
    const gateway = await api.addGateway()
    const by = await api.signIn(gateway)
    const answers = await Promise.all(
      Array.from({ length: 23 }, () => make({ name: 'x', scopes: ['merchant:read'] }, by)),
    )
    const ofStatus = (status: number) => answers.filter(answer => answer.status === status)
    t.equal(ofStatus(201).length, 20)
    t.equal(ofStatus(409).length, 3)
    t.equal(ofStatus(409)[0]!.body.code, 'TOO_MANY_API_KEYS')
    await api.call('DELETE', `/v1/api-keys/${ofStatus(201)[0]!.body.id}`, { token: by })
    t.equal((await make({ name: 'x', scopes: ['merchant:read'] }, by)).status, 201)
  })

  t.test('a key ends with its wallet, and with its gateway for good', async t => {
    const gateway = await api.addGateway()
    const signer = makeWallet()
    const setSigner = (publicKey: string, order: string) =>
      pool.query('update gateways set signer = $2, signer_order = $3 where address = $1', [
        ...[gateway.address, publicKey, order],
      ])
    await setSigner(signer.publicKey, '0002')
    const bySigner = await keyOf(['webhooks:read'], await api.signIn(gateway, signer))
    const byAuthority = await keyOf(['webhooks:read'], await api.signIn(gateway))
    const use = async ({ key }: { key: string }) =>
      (await api.call('GET', '/v1/webhooks', { token: key })).status
    t.same([await use(bySigner), await use(byAuthority)], [200, 200])
    await setSigner(makeWallet().publicKey, '0003')
    t.same([await use(bySigner), await use(byAuthority)], [401, 200])
    await setSigner(signer.publicKey, '0004')
    t.equal(await use(bySigner), 401, 'a signer that comes back does not revive its keys')
    const listed = await api.call('GET', '/v1/api-keys', { token: await api.signIn(gateway) })
    t.same(
      listed.body.map(({ id, ended }: { id: number; ended: boolean }) => [id, ended]),
      [
        [bySigner.id, true],
        [byAuthority.id, false],
      ],
    )
    t.equal(await use(await keyOf(['webhooks:read'], await api.signIn(gateway, signer))), 200)
    const setDeleted = (order: string | null) =>
      pool.query('update gateways set deleted_order = $2 where address = $1', [gateway.address, order])
    await setDeleted('0009')
    t.equal(await use(byAuthority), 401)
    await revokeKeysOfDeletedGateways(api.store, 0n)
    await setDeleted(null)
    t.equal(await use(byAuthority), 401, 'a gateway that exists again does not revive its keys')
  })
})
