// A process of each service that answers anybody, and two gateways with one thing of each kind.
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import {
  buildAddress,
  buildChain,
  openLink,
  openPublisher,
  startService,
  useEnvironment,
  waitFor,
  type ChainGateway,
  type ChainMessage,
  type TestContext,
} from '@payment-tracking/testkit'
import { makeCheckoutKey } from '../../services/api/test/checkout/make-checkout-keys.js'
import { askJson, type JsonAnswer } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'
import { makeKey, makeVoidTokens, remake, signingOf, type MadeKey } from './credentials.js'
import type { Scope } from './description.js'

export const SCOPES: readonly Scope[] = [
  'webhooks:read',
  'webhooks:write',
  'merchant:read',
  'merchant:write',
  'expectations',
]

export type CallAnswer = JsonAnswer

export type Call = (
  method: string,
  path: string,
  options?: { token?: string | undefined; body?: unknown; base?: string; headers?: Record<string, string> },
) => Promise<CallAnswer>

/** What a gateway calls who paid it. */
export const nameBy = (gateway: string): string => `named by ${gateway}`

export async function openSystem(t: TestContext) {
  const { database, settings } = await useEnvironment(t)
  const [apiPort, realtimePort, opsPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const databaseLink = await openLink(t, settings.DATABASE_URL)
  const keys = buildJwtKeys()
  const env = {
    ...settings,
    JWT_PRIVATE_KEYS: keys,
    CHECKOUT_TOKEN_KEYS: JSON.stringify({ keys: [makeCheckoutKey()] }),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    RATE_LIMIT_MAX: '1000000',
    MAX_CONNECTIONS_PER_TRACKING_ID: '1',
    OPS_TOKEN: 'the password of the operators',
  }
  const urls = {
    api: `http://127.0.0.1:${apiPort}`,
    realtime: `http://127.0.0.1:${realtimePort}`,
    ops: `http://127.0.0.1:${opsPort}`,
  }
  await Promise.all([
    startService(t, 'ingest', env),
    startService(t, 'api', { ...env, PORT: String(apiPort), DATABASE_URL: databaseLink.url }),
    startService(t, 'realtime', { ...env, PORT: String(realtimePort) }),
    startService(t, 'ops', { ...env, OPS_PORT: String(opsPort) }),
  ])
  const call: Call = (method, path, { base = urls.api, ...asked } = {}) =>
    askJson(base + path, { method, ...asked })

  const publisher = await openPublisher(settings)
  t.teardown(() => publisher.close())
  const publish = async (messages: readonly object[]) => {
    for (const message of messages) await publisher.publish(JSON.stringify(message))
  }
  const waitForAnswer = (path: string, token?: string) =>
    waitFor(
      async () => {
        const answer = await call('GET', path, { token })
        return answer.status === 200 && (!Array.isArray(answer.body) || answer.body.length > 0)
          ? answer
          : undefined
      },
      { what: path },
    )
  // An id that nobody has has as many digits.
  await database.pool.query('alter table api_keys alter id restart with 1000')
  await database.pool.query('alter table gateway_sessions alter id restart with 1000')
  const chain = buildChain({ seed: 'access' })
  const gateways = [await chain.openGateway('owner'), await chain.openGateway('other')] as const
  await publish(gateways.map(({ created }) => created))
  const registerWebhook = async (gateway: string, token: string, endpointUrl: string) =>
    (
      await call('POST', '/v1/webhooks', {
        token,
        body: {
          gateway_pubkey: gateway,
          endpoint_url: endpointUrl,
          format: 'standard',
          headers: { 'x-shop': 'header-of-a-shop' },
        },
      })
    ).body as { id: number; secret: string }

  const openSession = async (token: string) => {
    const { headers } = await call('POST', '/v1/session', { token, headers: { origin: urls.api } })
    return headers.get('set-cookie')!.split(';')[0]!
  }
  const sessionOf = async (cookie: string) =>
    (await call('GET', '/v1/sessions', { headers: { cookie } })).body.find(
      ({ current }: { current: boolean }) => current,
    ).id as number
  const prepare = async (gateway: ChainGateway, label: string) => {
    const token = await signIn(urls.api, gateway)
    const cookie = await openSession(token)
    const endpointUrl = `http://127.0.0.1:1/hook-of-${label}`
    const webhook = await registerWebhook(gateway.address, token, endpointUrl)
    const keyOf = {} as Record<Scope, MadeKey>
    for (const scope of SCOPES) keyOf[scope] = await makeKey(call, token, [scope])
    const key = await makeKey(call, token, SCOPES)
    const userPayment = await chain.openUserPayment()
    const policy = await chain.openPolicy(gateway, userPayment, { trackingId: `order-of-${label}` })
    const paid = chain.pay(policy)
    return { gateway, token, cookie, endpointUrl, webhook, keyOf, key, userPayment, policy, paid }
  }
  const prepared = [await prepare(gateways[0], 'owner'), await prepare(gateways[1], 'other')] as const
  await publish(
    prepared.flatMap(({ userPayment, policy, paid }) => [userPayment.created, policy.created, paid]),
  )
  // One transaction that pays both gateways.
  const basket = gateways.map((gateway, index) => ({
    ...chain.payDirectly({
      gateway: gateway.address,
      payer: buildAddress('payer'),
      recipient: buildAddress(`shop ${index}`),
      tokenMint: buildAddress('mint'),
      amount: 5n,
      trackingId: 'basket',
    }),
    index,
  }))
  const { signature, slot } = basket[0]!
  await publish(basket.map(message => ({ ...message, signature, slot })))

  const finish = async ({
    gateway,
    token,
    cookie,
    webhook,
    endpointUrl,
    keyOf,
    key,
    policy,
    paid,
  }: (typeof prepared)[number]) => {
    const deliveries = await waitForAnswer(`/v1/webhooks/deliveries?trackingId=${policy.trackingId}`, token)
    const expectation = await call('POST', `/v1/gateway/${gateway.address}/expectations`, {
      token,
      body: {
        trackingId: 'a cart',
        recipient: policy.address,
        tokenMint: policy.address,
        amount: 5,
        reference: `reference of ${policy.trackingId}`,
      },
    })
    await call('PUT', `/v1/gateway/${gateway.address}/merchant/subscribers/${buildAddress('payer')}`, {
      token,
      body: { name: nameBy(gateway.address) },
    })
    return {
      address: gateway.address,
      token,
      /** Of a session. */
      cookie,
      sessionId: await sessionOf(cookie),
      /** With every scope. */
      key,
      /** With one scope each. */
      keyOf,
      webhookId: webhook.id,
      deliveryId: deliveries.body[0].id,
      trackingId: policy.trackingId,
      expectationId: expectation.body.id,
      policy: policy.address,
      /** A payment of the gateway's policy. */
      signature: paid.signature,
      /** Texts that nobody but the gateway may be told. */
      secrets: [
        ...[webhook.secret, endpointUrl, 'header-of-a-shop', token, cookie, key.key.slice(10)],
        `reference of ${policy.trackingId}`,
        nameBy(gateway.address),
        ...Object.values(keyOf).map(each => each.key.slice(10)),
      ],
    }
  }
  for (const { token } of prepared) await waitForAnswer('/v1/webhooks/deliveries?trackingId=basket', token)
  const owner = await finish(prepared[0])
  const other = await finish(prepared[1])

  const expired = await makeKey(call, owner.token, SCOPES)
  await database.pool.query(`update api_keys set expires_at = now() - interval '1 s' where id = $1`, [
    expired.id,
  ])
  const revoked = await makeKey(call, owner.token, SCOPES)
  await call('DELETE', `/v1/api-keys/${revoked.id}`, { token: owner.token })
  const ofAnotherWallet = await makeKey(call, owner.token, SCOPES)
  await database.pool.query('update api_keys set created_by = $2 where id = $1', [
    ofAnotherWallet.id,
    other.address,
  ])
  const signing = signingOf(keys)
  // Otherwise what follows would be void for how it is made.
  const remade = await call('GET', '/v1/webhooks', { token: remake(owner.token, signing) })
  if (remade.status !== 200) throw new Error(`a token that is made here does not count: ${remade.text}`)
  /** Credentials that claim to be of the owner and do not count. */
  const voidCredentials: Record<string, string> = {
    ...makeVoidTokens(owner.token, signing, other.address),
    'a key that nobody made': `ptk_${'A'.repeat(43)}`,
    'the hint of a key': owner.key.key.slice(0, 10),
    'a key that has expired': expired.key,
    'a key that was revoked': revoked.key,
    "a key of a wallet that is not the gateway's": ofAnotherWallet.key,
  }

  const ended = await openSession(owner.token)
  await call('DELETE', '/v1/session', { headers: { cookie: ended, origin: urls.api } })
  const endedWithKey = await makeKey(call, owner.token, SCOPES)
  const ofKey = await openSession(endedWithKey.key)
  await call('DELETE', `/v1/api-keys/${endedWithKey.id}`, { token: owner.token })
  const [name] = ended.split('=')

  return {
    urls,
    call,
    owner,
    other,
    voidCredentials,
    /** Sessions of the owner that do not count. */
    voidCookies: {
      'a session that was ended': ended,
      'a session of a key that was revoked': ofKey,
      'a session that nobody opened': `${name}=${'A'.repeat(43)}`,
    },
    opsToken: env.OPS_TOKEN,
    /** Bytes that the API has sent to Postgres, and got from it. */
    databaseTraffic: () => databaseLink.traffic(),
    databaseLink,
    pool: database.pool,
    /** A payment of something to a gateway's policy. */
    async pay({ address, policy }: typeof owner, trackingId: string): Promise<ChainMessage> {
      const payment = { gateway: address, payer: policy, recipient: policy, tokenMint: policy, amount: 1n }
      const message = chain.payDirectly({ ...payment, trackingId })
      await publish([message])
      return message
    },
    retract: ({ signature, slot }: ChainMessage) =>
      publish([{ subject: `${settings.SUBJECT_PREFIX}.control.retracted`, message: { signature, slot } }]),
    async deleteGateway({ address, authority }: Pick<ChainGateway, 'address' | 'authority'>) {
      const message = chain.emit('PaymentGatewayDeleted', {
        gateway: address,
        authority: authority.publicKey,
        name: Array<number>(32).fill(0),
      })
      await publish([message])
      return message
    },
    /** One more gateway with one thing of each kind. */
    async addParty(label: string) {
      const gateway = await chain.openGateway(label)
      await publish([gateway.created])
      await waitForAnswer(`/v1/events/gateways/created?authority=${gateway.authority.publicKey}`)
      const made = await prepare(gateway, label)
      await publish([made.userPayment.created, made.policy.created, made.paid])
      return { ...(await finish(made)), authority: gateway.authority }
    },
    /** Of the transaction that pays both gateways. */
    basket: signature,
    /** Everything of a gateway in the database; the last use of keys and sessions is no change. */
    async stateOf(gateway: string): Promise<string> {
      const { rows } = await database.pool.query<{ state: string }>(
        `select concat_ws(E'\n',
           (select string_agg(w::text, E'\n' order by id) from webhooks w where gateway = $1),
           (select string_agg(d::text, E'\n' order by d.id) from deliveries d
              join webhooks w on w.id = d.webhook_id where w.gateway = $1),
           (select string_agg(x::text, E'\n' order by id) from expectations x where gateway = $1),
           (select string_agg(n::text, E'\n' order by wallet) from customer_names n where gateway = $1),
           (select string_agg(c::text, E'\n' order by id) from gateway_changes c where gateway = $1),
           (select string_agg(concat(id, how, is_link, created_at), E'\n' order by id)
              from gateway_sessions where gateway = $1),
           (select string_agg((to_jsonb(k) - 'last_used_at')::text, E'\n' order by id)
              from api_keys k where gateway = $1)) as state`,
        [gateway],
      )
      return rows[0]!.state
    },
    /** A webhook, a key, or a session, of the owner that a call may delete. */
    addWebhook: async ({ address, token } = owner) =>
      (await registerWebhook(address, token, 'http://127.0.0.1:1/spare')).id,
    addSession: async () => {
      const cookie = await openSession(owner.token)
      return { cookie, id: await sessionOf(cookie) }
    },
    addKey: async () => (await makeKey(call, owner.token, ['merchant:read'])).id,
  }
}

/** A gateway and what belongs to it. */
export type Party = Awaited<ReturnType<typeof openSystem>>['owner']
