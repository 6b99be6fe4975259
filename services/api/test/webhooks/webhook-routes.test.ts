import t from 'tap'
import { addSignedIn, openGatewayApi, makeWallet } from '../gateway-auth/open-gateway-api.js'

t.test('where private targets are allowed, a webhook says why production refuses its endpoint', async t => {
  const api = await openGatewayApi(t, { settings: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' } })
  const gateway = await api.addGateway()
  const token = await api.signIn(gateway)
  const warningOf = async (endpoint_url: string) => {
    const body = { gateway_pubkey: gateway.address, endpoint_url, format: 'standard' }
    const created = (await api.call('POST', '/v1/webhooks', { token, body })).body
    const read = (await api.call('GET', `/v1/webhooks/${created.id}`, { token })).body
    t.equal(read.endpointWarning, created.endpointWarning)
    return created.endpointWarning as string | null
  }
  t.match(await warningOf('http://127.0.0.1:9000/hook'), /^Production refuses this endpoint: the URL .*\.$/)
  t.match(await warningOf('https://10.0.0.1/hook'), /^Production refuses this endpoint: /)
  t.equal(await warningOf('https://shop.example/hook'), null)
})

t.test('webhooks over REST', async t => {
  const api = await openGatewayApi(t)
  const { gateway, token, addWebhook: create } = await addSignedIn(api)

  t.test('a webhook is the record of the contract; only this answer shows its secret', async t => {
    const { status, body, headers } = await create()
    t.equal(status, 201)
    t.equal(headers['cache-control'], 'no-store')
    const { secret, warning, ...record } = body
    t.equal(warning, null)
    t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    t.match(record, {
      gatewayPubkey: gateway.address,
      endpointUrl: 'https://shop.example/hook',
      active: true,
      createdAt: /^\d{4}-.*\.\d{3}Z$/,
    })
    t.type(record.id, 'number')
    t.strictSame((await api.call('GET', `/v1/webhooks/${record.id}`, { token })).body, record)
    const list = (await api.call('GET', '/v1/webhooks', { token })).body
    t.strictSame(list, [record])
    t.strictSame((await api.call('GET', `/v1/webhooks/gateway/${gateway.address}`, { token })).body, list)
    for (const line of api.logs) t.notOk(line.includes(secret), 'no log line holds the secret')
  })

  t.test('what cannot be stored or is no key is 400; an unknown query changes nothing', async t => {
    for (const body of [
      { endpoint_url: 'https://shop.example/\0' },
      { gateway_pubkey: 'no key' },
      { gateway_pubkey: '\0' },
    ]) {
      const { status, body: answer } = await create(body)
      t.equal(status, 400, JSON.stringify(body))
      t.equal(answer.code, 'INVALID_BODY')
      t.match(answer.error, new RegExp(`^Field ${Object.keys(body)[0]} must `))
    }
    for (const query of ['active_only=maybe', 'limit=0'])
      t.equal((await api.call('GET', `/v1/webhooks?${query}`, { token })).status, 400, query)
    const { id } = (await create()).body
    const deletion = await api.call('DELETE', `/v1/webhooks/${id}?confirm=no`, { token })
    t.equal(deletion.status, 400)
    t.equal((await api.call('GET', `/v1/webhooks/${id}`, { token })).status, 200, 'it is still there')
    const changed = await api.call('PUT', `/v1/webhooks/${id}?x=1`, { token, body: { active: false } })
    t.match(changed, { status: 400, body: { error: /^Parameter x is not known here/ } })
    t.equal((await api.call('DELETE', `/v1/webhooks/${id}`, { token })).status, 204)
  })

  t.test('fields are taken in camelCase too, and an unknown one is named before a missing one', async t => {
    const post = (body: object) => api.call('POST', '/v1/webhooks', { token, body })
    const endpointUrl = 'https://camel.example/hook'
    const inCamelCase = await post({ gatewayPubkey: gateway.address, endpointUrl })
    t.match(inCamelCase, { status: 201, body: { endpointUrl } })
    const twice = await post({ gatewayPubkey: gateway.address, gateway_pubkey: gateway.address, endpointUrl })
    t.match(twice, {
      status: 400,
      body: { code: 'INVALID_BODY', error: 'Field gatewayPubkey is given twice: it is gateway_pubkey too.' },
    })
    const unknownField = (await post({ gateway: gateway.address, endpointUrl })).body.error
    t.match(unknownField, /^Field gateway is not known here; known are gateway_pubkey, /)
    t.equal((await post({ endpointUrl })).body.error, 'Field gateway_pubkey is missing.')
    const [{ id }] = (await api.call('GET', '/v1/webhooks?limit=1', { token })).body
    const body = { endpointUrl: `${endpointUrl}/2` }
    const moved = await api.call('PUT', `/v1/webhooks/${id}`, { token, body })
    t.equal(moved.body.endpointUrl, `${endpointUrl}/2`)
  })

  t.test('a second webhook of the same URL is warned of, while the first one is active', async t => {
    const twin = () => create({ endpoint_url: 'https://twin.example/hook' })
    const first = (await twin()).body
    t.equal(first.warning, null)
    const second = await twin()
    t.equal(second.status, 201)
    t.match(second.body.warning, new RegExp(`^Webhook ${first.id} sends to the same URL`))
    for (const { id } of [first, second.body])
      await api.call('PUT', `/v1/webhooks/${id}`, { token, body: { active: false } })
    t.equal((await twin()).body.warning, null)
  })

  t.test('refusals are sentences, and list the allowed values', async t => {
    const { id } = (await create()).body
    const redeliver = async (body: object) =>
      (await api.call('POST', `/v1/webhooks/${id}/redeliver`, { token, body })).body.error as string
    const lateRefusal = await redeliver({ since: '2026-01-01', status: 'late' })
    t.equal(lateRefusal, 'Field status must be one of failed, cancelled, delivered.')
    const bogusRefusal = await redeliver({ since: '2026-01-01', bogus: 1 })
    t.equal(bogusRefusal, 'Field bogus is not known here; known are since, until, status.')
    t.equal(await redeliver({}), 'Field since is missing.')
    t.equal((await create({ active: 'yes' })).body.error, 'Field active must be true or false.')
    for (const endpoint_url of [7, 'https://127.0.0.1/', 'http://shop.example/'])
      t.match((await create({ endpoint_url })).body.error, /endpoint_url/)
    t.equal((await create({ gateway_pubkey: makeWallet().publicKey })).status, 403)
    const nothing = await api.call('PUT', `/v1/webhooks/${id}`, { token, body: {} })
    t.match(nothing.body.error, /^The body must have at least 1 of endpoint_url, /)
    const unknown = await api.call('GET', `/v1/webhooks/${id}/deliveries?status=late`, { token })
    t.match(unknown.body.error, /^Parameter status must be one of pending, waiting, /)
    await api.call('DELETE', `/v1/webhooks/${id}`, { token })
  })

  t.test('everything that its owner chooses can be changed, and what is left out stays', async t => {
    const chosen = {
      description: 'orders',
      eventTypes: ['payment.executed', 'webhook.failing'],
      headers: { authorization: 'Bearer top-secret', 'x-shop': '1' },
      filters: {
        recipient: gateway.address,
        tokenMint: gateway.address,
        minAmount: '5',
        trackingIdPrefix: 'a',
      },
      ordered: true,
      orderedBy: 'trackingId',
      orderedWithinSeconds: 600,
      recover: true,
      ratePerSecond: 50,
    }
    const { secret, warning, ...created } = (await create(chosen)).body
    t.equal(warning, null)
    const { headers: sent, ...shown } = chosen
    t.match(created, { ...shown, headerNames: Object.keys(sent) })
    t.notOk(JSON.stringify(created).includes('top-secret'), 'values of headers are not shown')
    const put = (body: unknown) => api.call('PUT', `/v1/webhooks/${created.id}`, { token, body })
    const test = (await api.call('POST', `/v1/webhooks/${created.id}/test`, { token })).body
    const waits = (await api.call('GET', `/v1/webhooks/${created.id}`, { token })).body
    t.match(waits, { waiting: 1, nextTryAt: String, lastTryAt: String })
    t.match(test, { nextAttemptAt: String, lastTryAt: String })
    // With recovery, tries can go on for 64 hours; without, for 35 s.
    const tryingMs = ({ nextTryAt, lastTryAt }: typeof waits) => Date.parse(lastTryAt) - Date.parse(nextTryAt)
    t.ok(tryingMs(waits) > 64 * 3_600_000, `${tryingMs(waits)} ms`)
    const choicesOf = (webhook: typeof waits) => ({
      ...webhook,
      waiting: 0,
      nextTryAt: null,
      lastTryAt: null,
    })
    const changes: Record<string, unknown>[] = [
      { endpoint_url: 'https://shop.example/new' },
      { description: null },
      { filters: null },
      { headers: null },
      { ratePerSecond: 1_000 },
      { ratePerSecond: null },
      { eventTypes: ['payment.retracted'], finality: 'finalized' },
      { orderedBy: 'all' },
      { format: 'tributary', ordered: false, recover: false, orderedWithinSeconds: 60 },
    ]
    let expected = created
    for (const change of changes) {
      const { endpoint_url: endpointUrl, headers: newHeaders, ...others } = change
      expected = {
        ...expected,
        ...others,
        ...(endpointUrl === undefined ? {} : { endpointUrl }),
        ...(newHeaders === undefined ? {} : { headerNames: [] }),
      }
      t.strictSame(choicesOf((await put(change)).body), choicesOf(expected), JSON.stringify(change))
    }
    const changed = (await api.call('GET', `/v1/webhooks/${created.id}`, { token })).body
    t.strictSame(choicesOf(changed), choicesOf(expected))
    t.ok(tryingMs(changed) <= 35_000, `${tryingMs(changed)} ms`)
    const delivery = await api.call('GET', `/v1/webhooks/${created.id}/deliveries/${test.id}`, { token })
    t.equal(delivery.body.status, 'pending', 'open deliveries stay open')
    t.ok(secret)
    t.notOk(api.logs.some(line => line.includes('top-secret')))
    for (const [body, field] of [
      [{}, 'body'],
      [{ actve: true }, 'actve'],
      [{ active: null }, 'active'],
      [{ endpoint_url: 'https://127.0.0.1/' }, 'endpoint_url'],
      [{ endpoint_url: 'http://shop.example/' }, 'endpoint_url'],
      [{ headers: { host: 'x' } }, 'headers'],
      [{ headers: { 'x-a': 'a\r\nhost: b' } }, 'headers'],
      [{ headers: { 'x-a': 1 } }, 'headers'],
      [{ headers: ['x'] }, 'headers'],
      [{ filters: { recipient: 'me' } }, 'filters.recipient'],
      [{ filters: { minAmount: '5' } }, 'filters.minAmount'],
      [{ filters: { tokenMint: gateway.address, minAmount: '-5' } }, 'filters.minAmount'],
      [{ filters: { tokenMint: gateway.address, minAmount: 5 } }, 'filters.minAmount'],
      [{ filters: { trackingIdPrefix: 'a'.repeat(65) } }, 'filters.trackingIdPrefix'],
      [{ filters: { trackingIdPrefix: 'a\0' } }, 'filters'],
      [{ filters: { amount: '5' } }, 'amount'],
      [{ orderedBy: 'memo' }, 'orderedBy'],
      [{ orderedWithinSeconds: 1 }, 'orderedWithinSeconds'],
      [{ ratePerSecond: 0 }, 'ratePerSecond must be'],
      [{ ratePerSecond: 1_001 }, 'ratePerSecond must be'],
      [{ ratePerSecond: 1.5 }, 'ratePerSecond must be'],
      [{ ratePerSecond: '50' }, 'ratePerSecond must be'],
      [{ eventTypes: ['webhook.test'] }, 'eventTypes'],
      [{ gateway_pubkey: gateway.address }, 'gateway_pubkey'],
    ] as const) {
      const answer = await put(body)
      t.equal(answer.status, 400, JSON.stringify(body))
      t.ok(answer.body.error.includes(field), answer.body.error)
    }
    const after = (await api.call('GET', `/v1/webhooks/${created.id}`, { token })).body
    t.strictSame(choicesOf(after), choicesOf(expected))
    await api.call('DELETE', `/v1/webhooks/${created.id}`, { token })
  })

  t.test('rotating twice within the grace ended the secret that was deployed', async t => {
    const created = (await create()).body
    const path = `/v1/webhooks/${created.id}/secret`
    const rotate = (graceSeconds?: number) =>
      api.call('POST', `${path}/rotate`, {
        token,
        ...(graceSeconds !== undefined && { body: { graceSeconds } }),
      })
    const earlier = async (): Promise<string[]> =>
      (
        await api.database.pool.query('select earlier_secrets from webhooks where id = $1', [created.id])
      ).rows[0].earlier_secrets.map(({ secret }: { secret: string }) => secret)
    const first = (await rotate()).body
    const second = (await rotate(60)).body
    t.same(await earlier(), [first.secret, created.secret], 'each signs until its own time')
    t.equal(second.previousSecretExpiresAt, first.previousSecretExpiresAt, 'the last of their times')
    t.strictSame((await api.call('GET', path, { token })).body, second)

    await api.database.pool.query(
      `update webhooks set earlier_secrets = jsonb_set(earlier_secrets, '{0,until}', to_jsonb(now() - interval '1 s')) where id = $1`,
      [created.id],
    )
    const third = (await rotate()).body
    t.same(await earlier(), [second.secret, created.secret], 'what has ended is not kept')
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate()))
    t.same(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409], 'five sign at most')
    const { body } = answers.find(({ status }) => status === 409)!
    t.equal(body.code, 'TOO_MANY_SECRETS')
    t.same((await earlier()).slice(-3), [third.secret, second.secret, created.secret], 'none ends early')
    t.equal((await rotate(0)).status, 200)
    t.same(await earlier(), [])
  })

  t.test('rotation gives a new secret, and states how long the old secret still signs', async t => {
    const created = (await create()).body
    const path = `/v1/webhooks/${created.id}/secret`
    const readBack = (await api.call('GET', path, { token })).body
    t.strictSame(readBack, { secret: created.secret, previousSecretExpiresAt: null })
    const rotated = (await api.call('POST', `${path}/rotate`, { token })).body
    t.not(rotated.secret, created.secret)
    const hours = (Date.parse(rotated.previousSecretExpiresAt) - Date.now()) / 3_600_000
    t.ok(hours > 23.9 && hours <= 24)
    t.strictSame((await api.call('GET', path, { token })).body, rotated)
    const rotate = (graceSeconds: unknown) =>
      api.call('POST', `${path}/rotate`, { token, body: { graceSeconds } })
    const week = (await rotate(604_800)).body
    const days = (Date.parse(week.previousSecretExpiresAt) - Date.now()) / 86_400_000
    t.ok(days > 6.9 && days <= 7)
    for (const seconds of [-1, 604_801, 0.5, '60', null]) {
      const refused = await rotate(seconds)
      t.equal(refused.status, 400, String(seconds))
      t.match(refused.body.error, /^Field graceSeconds must be /)
    }
    t.strictSame((await api.call('GET', path, { token })).body, week, 'what is refused changes nothing')
    const atOnce = (await rotate(0)).body
    t.equal(atOnce.previousSecretExpiresAt, null)
    t.strictSame((await api.call('GET', path, { token })).body, atOnce)
    const { rows } = await api.database.pool.query('select earlier_secrets from webhooks where id = $1', [
      created.id,
    ])
    t.strictSame(rows, [{ earlier_secrets: [] }], 'nobody signs with a secret that others know')
  })

  t.test('deleted webhooks are gone: one, or all of them', async t => {
    const { id } = (await create()).body
    t.equal((await api.call('DELETE', `/v1/webhooks/${id}`, { token })).status, 204)
    t.equal((await api.call('DELETE', `/v1/webhooks/${id}`, { token })).status, 404)
    t.equal((await api.call('GET', `/v1/webhooks/${id}`, { token })).status, 404)
    t.equal((await api.call('GET', `/v1/webhooks/${id}/deliveries`, { token })).status, 404)
    const all = `/v1/webhooks/gateway/${gateway.address}`
    t.equal((await api.call('DELETE', all, { token })).status, 204)
    t.equal((await api.call('DELETE', all, { token })).status, 404)
    t.strictSame((await api.call('GET', '/v1/webhooks', { token })).body, [])
  })

  t.test('a gateway has at most 20 webhooks, even with concurrent requests', async t => {
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => create()))).map(
      ({ status }) => status,
    )
    t.equal(statuses.filter(status => status === 201).length, 20)
    t.equal(statuses.filter(status => status === 409).length, 5)
  })
})
