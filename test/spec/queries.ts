// The specification, sections 4, 5 and 7: endpoints, their parameters, authentication and errors. Its tables stay whole, so it is one
// file of more than 300 lines.
import assert from 'node:assert/strict'
import t from 'tap'
import type { JsonAnswer } from '../ask-json.js'
import { MANY, query, world } from './open-world.js'
import { checkRows, type Repeated, type Row } from './rows.js'

const { ask, shop, other, accounts, monthly, custom, endless, one, two, paid, token } = world
const PAGE = 100
const PAST = '2020-01-01T00:00:00.000Z'
const FUTURE = '2099-01-01T00:00:00.000Z'
const hook = { gateway_pubkey: shop.address, endpoint_url: 'http://127.0.0.1:9/hook', active: true }

/** A webhook that is there alone, whatever a check before did. */
async function onlyWebhook(active = true): Promise<number> {
  await ask('DELETE', `/v1/webhooks/gateway/${shop.address}`, { token })
  return (await ask('POST', '/v1/webhooks', { token, body: { ...hook, active } })).body.id
}

const endpoint = (method: string, path: string, says: string, check: () => Promise<void>): Row => ({
  section: 4,
  table: 'endpoints',
  says: `${method} ${path}: ${says}`,
  check,
})

const enveloped = ({ status, body }: JsonAnswer) => {
  assert.deepEqual([status, body.success, typeof body.timestamp], [200, true, 'number'])
  return body.data
}
const bare = ({ status, body }: JsonAnswer) => {
  assert.equal(status, 200)
  assert.ok(!Object.hasOwn(body, 'success'))
  return body
}

/** An endpoint that is asked with some parameters, and answers in the envelope or bare. */
const get = (
  path: string,
  says: string,
  [asked, read]: [path: string, read: (answer: JsonAnswer) => unknown],
  check: (data: any) => void, // oxlint-disable-line typescript/no-explicit-any
) => endpoint('GET', path, says, async () => check(read(await ask('GET', asked))))

const STATS = '/v1/events/payments/stats'
const endpoints: Row[] = [
  get('/v1/health', 'health in the envelope', ['/v1/health', enveloped], ({ status }) =>
    assert.equal(status, 'ok'),
  ),
  get(
    '/v1/subscriptions',
    'an array in the envelope',
    [query('/v1/subscriptions', { trackingId: 'monthly' }), enveloped],
    data => assert.equal(data.length, 1),
  ),
  get(
    '/v1/onetime/:trackingId',
    'the payment in the envelope',
    ['/v1/onetime/one%20payment', enveloped],
    ({ signature }) => assert.equal(signature, one.signature),
  ),
  get('/v1/events', 'a bare array', ['/v1/events', bare], list => assert.ok(Array.isArray(list))),
  endpoint('GET', '/v1/events/count', 'counts by name and time', async () => {
    const count = async (parameters: Record<string, string>) =>
      bare(await ask('GET', query('/v1/events/count', parameters))).count
    assert.equal(await count({ eventName: 'PaymentPolicyCreated' }), 3)
    assert.equal(await count({ startTime: FUTURE }), 0)
    assert.equal(await count({ endTime: PAST }), 0)
    assert.equal(await count({}), world.messages.length)
  }),
  get('/v1/events/names', 'each name once', ['/v1/events/names', bare], names =>
    assert.deepEqual(names, [
      ...['PaymentGatewayCreated', 'PaymentPolicyCreated', 'PaymentRecord', 'UserPaymentCreated'],
    ]),
  ),
  get(STATS, 'statistics of payments', [query(STATS, { gateway: shop.address }), bare], stats => {
    const direct = 3 + MANY
    assert.equal(stats.count, 2 + direct)
    assert.equal(stats.totalAmount, 2 * 404_000_000 + direct * 5_000_000)
  }),
  ...(
    [
      ['payments', 'payments', 'PaymentRecord', PAGE],
      ['policies/created', 'events of this kind', 'PaymentPolicyCreated', 3],
      ['gateways/created', 'events of this kind', 'PaymentGatewayCreated', 2],
    ] as const
  ).map(([list, says, name, count]) =>
    get(`/v1/events/${list}`, says, [`/v1/events/${list}`, bare], (events: { eventName: string }[]) => {
      assert.equal(events.length, count)
      assert.ok(events.every(({ eventName }) => eventName === name))
    }),
  ),
  endpoint('POST', '/v1/webhooks', 'the three fields are enough; the bare record', async () => {
    await onlyWebhook()
    const { status, body } = await ask('POST', '/v1/webhooks', { token, body: hook })
    assert.deepEqual([status, body.endpointUrl, body.format], [201, hook.endpoint_url, 'standard'])
  }),
  endpoint('GET', '/v1/webhooks', 'webhooks', async () => {
    const id = await onlyWebhook()
    assert.equal(bare(await ask('GET', '/v1/webhooks', { token }))[0].id, id)
  }),
  endpoint('GET', '/v1/webhooks/gateway/:gatewayPubkey', 'those of the gateway', async () => {
    const id = await onlyWebhook()
    assert.equal(bare(await ask('GET', `/v1/webhooks/gateway/${shop.address}`, { token }))[0].id, id)
  }),
  endpoint('GET', '/v1/webhooks/:id', 'one, by its number', async () => {
    const id = await onlyWebhook()
    assert.equal(bare(await ask('GET', `/v1/webhooks/${id}`, { token })).id, id)
    assert.equal((await ask('GET', '/v1/webhooks/first', { token })).status, 400)
  }),
  endpoint('PUT', '/v1/webhooks/:id', 'changes whether it is active', async () => {
    const id = await onlyWebhook()
    for (const active of [false, true, false]) {
      const changed = await ask('PUT', `/v1/webhooks/${id}`, { token, body: { active } })
      assert.deepEqual([changed.status, changed.body.active], [200, active])
      assert.equal((await ask('GET', `/v1/webhooks/${id}`, { token })).body.active, active)
    }
    const none = await ask('PUT', '/v1/webhooks/999999', { token, body: { active: true } })
    assert.equal(none.status, 404)
  }),
  endpoint('DELETE', '/v1/webhooks/:id', '204 without content', async () => {
    const id = await onlyWebhook()
    const { status, text } = await ask('DELETE', `/v1/webhooks/${id}`, { token })
    assert.deepEqual([status, text], [204, ''])
    for (const method of ['GET', 'DELETE'])
      assert.equal((await ask(method, `/v1/webhooks/${id}`, { token })).status, 404)
  }),
]

const parameter = (table: string, says: string, check: () => Promise<void>): Row => ({
  section: 4,
  table,
  says,
  check,
})

/** A look-up that finds the monthly policy, and no other. */
const lookup = (says: string, parameters: Record<string, string>) =>
  parameter('subscriptions', says, async () => {
    const found = enveloped(await ask('GET', query('/v1/subscriptions', parameters)))
    assert.deepEqual(
      found.map(({ policyAddress }: { policyAddress: string }) => policyAddress),
      [monthly.address],
    )
  })
const PAIR = { walletPublicKey: accounts[0].owner, tokenMint: accounts[0].tokenMint }

const signaturesOf = async (path: string, parameters: Record<string, string | number>) => {
  const { status, body } = await ask('GET', query(path, parameters))
  assert.equal(status, 200)
  return body.map(({ signature }: { signature: string }) => signature) as string[]
}
/** A filter by which a list holds these messages, newest first, and others without it. */
const filter = (
  table: string,
  path: string,
  name: string,
  value: string | number,
  messages: readonly { signature: string }[],
) =>
  parameter(table, `${table === 'events' ? '' : `${path} `}${name}`, async () =>
    assert.deepEqual(
      await signaturesOf(path, { [name]: value, limit: 200 }),
      messages.map(({ signature }) => signature).toReversed(),
    ),
  )

/** `limit` and `offset` of a list; without a default, only what they do is checked. */
const paging = (table: string, path: string, newestFirst: readonly string[], hasDefaults: boolean) => {
  const where = table === 'events' ? '' : `${path} `
  return [
    parameter(table, `${where}limit${hasDefaults ? `, ${PAGE} by default` : ''}`, async () => {
      assert.deepEqual(await signaturesOf(path, { limit: 1 }), newestFirst.slice(0, 1))
      if (hasDefaults) assert.deepEqual(await signaturesOf(path, {}), newestFirst.slice(0, PAGE))
    }),
    parameter(table, `${where}offset${hasDefaults ? ', 0 by default' : ''}`, async () => {
      assert.deepEqual(await signaturesOf(path, { offset: 1, limit: 1 }), newestFirst.slice(1, 2))
      assert.deepEqual(await signaturesOf(path, { limit: 1 }), newestFirst.slice(0, 1))
    }),
  ]
}

const all = world.messages.map(({ signature }) => signature).toReversed()
const signaturesNamed = (name: string) =>
  world.messages
    .filter(message => message.event_name === name)
    .map(({ signature }) => signature)
    .toReversed()
const created = [monthly, custom, endless].map(policy => policy.created)
const onetime = (trackingId: string, parameters: Record<string, string | number> = {}) =>
  query(`/v1/onetime/${encodeURIComponent(trackingId)}`, parameters)
const oneTimePage = async (parameters: Record<string, string | number>) =>
  enveloped(await ask('GET', onetime('many payments', parameters)))
const newest = world.many.at(-1)!

const parameters: Row[] = [
  lookup('trackingId', { trackingId: 'monthly' }),
  lookup('userPublicKey', { userPublicKey: accounts[0].owner }),
  lookup('gatewayPublicKey', { gatewayPublicKey: shop.address }),
  lookup('walletPublicKey, with the other of the pair', PAIR),
  // The same wallet has nothing with another mint.
  parameter('subscriptions', 'tokenMint, with the other of the pair', async () => {
    const pair = { ...PAIR, tokenMint: accounts[1].tokenMint }
    assert.deepEqual(enveloped(await ask('GET', query('/v1/subscriptions', pair))), [])
  }),
  lookup('recipient', { recipient: monthly.recipient }),
  parameter('one-time payment', 'trackingId in the path', async () =>
    assert.equal(enveloped(await ask('GET', onetime('one payment'))).memo, 'one payment'),
  ),
  parameter('one-time payment', 'recipient', async () =>
    assert.equal(
      enveloped(await ask('GET', onetime('two payments', { recipient: custom.recipient }))).signature,
      two[1]!.signature,
    ),
  ),
  parameter('one-time payment', `limit, ${PAGE} by default`, async () => {
    assert.equal((await oneTimePage({})).length, PAGE)
    assert.equal((await oneTimePage({ limit: 2 })).length, 2)
  }),
  parameter('one-time payment', 'offset, 0 by default', async () => {
    assert.equal((await oneTimePage({}))[0].signature, newest.signature)
    assert.equal((await oneTimePage({ offset: PAGE })).signature, world.many[0]!.signature)
  }),
  filter('events', '/v1/events', 'signature', one.signature, [one]),
  filter('events', '/v1/events', 'slot', one.slot, [one]),
  filter('events', '/v1/events', 'eventName', 'PaymentPolicyCreated', created),
  filter('events', '/v1/events', 'trackingId', 'monthly', [monthly.created, ...paid]),
  ...(
    [
      ['startTime', 'after', FUTURE, PAST],
      ['endTime', 'before', PAST, FUTURE],
    ] as const
  ).map(([name, which, none, every]) =>
    parameter('events', `${name}: what is ${which} it`, async () => {
      assert.deepEqual(await signaturesOf('/v1/events', { [name]: none }), [])
      assert.deepEqual(await signaturesOf('/v1/events', { [name]: every }), all.slice(0, PAGE))
    }),
  ),
  filter('events', '/v1/events', 'minSlot', newest.slot, [newest]),
  filter('events', '/v1/events', 'maxSlot', shop.created.slot, [shop.created]),
  ...paging('events', '/v1/events', all, true),
  filter('other events', '/v1/events/payments', 'gateway', other.address, [world.paidOnce]),
  filter('other events', '/v1/events/payments', 'paymentPolicy', monthly.address, paid),
  ...paging('other events', '/v1/events/payments', signaturesNamed('PaymentRecord'), true),
  ...(
    [
      ['gateway', other.address, 1],
      ['startTime', FUTURE, 0],
      ['endTime', PAST, 0],
    ] as const
  ).map(([name, value, count]) =>
    parameter('other events', `${STATS} ${name}`, async () =>
      assert.equal(bare(await ask('GET', query(STATS, { [name]: value }))).count, count),
    ),
  ),
  filter('other events', '/v1/events/policies/created', 'gateway', shop.address, [monthly.created]),
  filter('other events', '/v1/events/policies/created', 'recipient', monthly.recipient, [monthly.created]),
  filter('other events', '/v1/events/policies/created', 'userPayment', accounts[0].address, [
    monthly.created,
  ]),
  ...paging('other events', '/v1/events/policies/created', signaturesNamed('PaymentPolicyCreated'), false),
  filter('other events', '/v1/events/gateways/created', 'authority', shop.authority.publicKey, [
    shop.created,
  ]),
  ...paging('other events', '/v1/events/gateways/created', signaturesNamed('PaymentGatewayCreated'), false),
  ...(
    [
      ['gateway_pubkey', 'gatewayPubkey', shop.address],
      ['endpoint_url', 'endpointUrl', hook.endpoint_url],
      ['active', 'active', false],
    ] as const
  ).map(([sent, answered, value]) =>
    parameter('webhook registration', sent, async () => {
      await onlyWebhook()
      const answer = await ask('POST', '/v1/webhooks', { token, body: { ...hook, active: false } })
      assert.deepEqual([answer.status, answer.body[answered]], [201, value])
    }),
  ),
]

const NONE =
  'Must specify one of trackingId, userPublicKey, gatewayPublicKey, recipient, or (walletPublicKey & tokenMint)!'
const INCOMPLETE = 'If you provide either walletPublicKey or tokenMint, you have to provide both!'
const MANY_FILTERS = 'Too many filters specified. Up to 3 query args allowed.'
const refuses = async (parameters: Record<string, string>, message: string) => {
  const { status, body } = await ask('GET', query('/v1/subscriptions', parameters))
  assert.deepEqual([status, body.error], [400, message], JSON.stringify(parameters))
}
/** @throws unless each path is answered with this status */
const answersStatus = async (status: number, paths: readonly string[], asked = {}) => {
  for (const path of paths) assert.equal((await ask('GET', path, asked)).status, status, path)
}
const FOUR = {
  trackingId: 'monthly',
  userPublicKey: accounts[0].owner,
  gatewayPublicKey: shop.address,
  recipient: monthly.recipient,
}

const RULES = [
  '4 sentences: rule 1: each look-up alone is enough, and one is needed',
  '4 sentences: rule 2: the wallet and the mint go together, whatever else is given',
  '4 sentences: rule 3: three parameters, and no more',
]

const sentences: (Row | Repeated)[] = [
  {
    section: 4,
    says: 'names of parameters are exact, letter case too',
    check: async () => {
      assert.equal((await ask('GET', query('/v1/events', { TrackingId: 'monthly' }))).status, 400)
      await refuses({ trackingid: 'monthly' }, NONE)
    },
  },
  {
    section: 4,
    says: 'numeric parameters are numbers',
    check: async () => {
      for (const name of ['slot', 'minSlot', 'maxSlot', 'limit', 'offset'])
        for (const value of ['many', '1.5', '0x10', '-1'])
          assert.equal((await ask('GET', query('/v1/events', { [name]: value }))).status, 400, name)
    },
  },
  {
    section: 4,
    says: 'rule 1: each look-up alone is enough, and one is needed',
    check: async () => {
      const each = [...Object.entries(FOUR).map(([name, value]) => ({ [name]: value })), PAIR]
      await answersStatus(
        200,
        each.map(parameters => query('/v1/subscriptions', parameters)),
      )
      for (const none of [{}, { trackingId: '' }]) await refuses(none, NONE)
    },
  },
  {
    section: 4,
    says: 'rule 2: the wallet and the mint go together, whatever else is given',
    check: async () => {
      for (const [name, value] of Object.entries(PAIR))
        for (const more of [{}, { trackingId: 'monthly' }, { recipient: monthly.recipient }])
          await refuses({ [name]: value, ...more }, INCOMPLETE)
    },
  },
  {
    section: 4,
    says: 'rule 3: three parameters, and no more',
    check: async () => {
      const { recipient, ...three } = FOUR
      assert.equal((await ask('GET', query('/v1/subscriptions', three))).status, 200)
      await refuses({ ...three, recipient }, MANY_FILTERS)
      await refuses({ ...three, _: '1' }, MANY_FILTERS)
    },
  },
  { section: 4, says: 'rule 4: each violation has its own message', as: RULES },
  {
    section: 4,
    says: 'lists of webhooks: active_only, limit and offset; of a gateway: active_only',
    check: async () => {
      const off = await onlyWebhook(false)
      const on = (await ask('POST', '/v1/webhooks', { token, body: hook })).body.id
      const ids = async (path: string, parameters = {}) =>
        bare(await ask('GET', query(path, parameters), { token })).map(({ id }: { id: number }) => id)
      const ofGateway = `/v1/webhooks/gateway/${shop.address}`
      for (const path of ['/v1/webhooks', ofGateway]) {
        assert.deepEqual(await ids(path), [off, on])
        assert.deepEqual(await ids(path, { active_only: 'true' }), [on])
      }
      assert.deepEqual(await ids('/v1/webhooks', { limit: 1 }), [off])
      assert.deepEqual(await ids('/v1/webhooks', { offset: 1 }), [on])
    },
  },
  {
    section: 5,
    says: 'reads need no credential',
    check: () =>
      answersStatus(200, [
        ...['/v1/health', query('/v1/subscriptions', { trackingId: 'monthly' }), onetime('one payment')],
        ...[
          '',
          '/count',
          '/names',
          '/payments',
          '/payments/stats',
          '/policies/created',
          '/gateways/created',
        ].map(list => `/v1/events${list}`),
      ]),
  },
  {
    section: 5,
    says: 'webhooks need the sign-in of their gateway',
    check: async () => {
      const id = await onlyWebhook()
      for (const [method, path, body] of [
        ['POST', '/v1/webhooks', hook],
        ['GET', '/v1/webhooks'],
        ['GET', `/v1/webhooks/gateway/${shop.address}`],
        ['GET', `/v1/webhooks/${id}`],
        ['PUT', `/v1/webhooks/${id}`, { active: false }],
        ['DELETE', `/v1/webhooks/${id}`],
      ] as const)
        assert.equal((await ask(method, path, body && { body })).status, 401, `${method} ${path}`)
    },
  },
  {
    section: 7,
    table: 'errors',
    says: '400 for parameters that are not valid',
    check: () =>
      answersStatus(400, [
        ...['/v1/events?limit=0', '/v1/onetime/x?recipient=nobody', '/v1/events?startTime=soon'],
      ]),
  },
  {
    section: 7,
    table: 'errors',
    says: '404 for what is not there',
    check: () =>
      answersStatus(404, [onetime('nobody knows it'), '/v1/nothing', '/v1/webhooks/999999'], { token }),
  },
  {
    section: 7,
    table: 'errors',
    says: '500 for a fault of the server',
    check: async () => {
      await world.database.pool.query('alter table event_counts rename to gone')
      try {
        assert.equal((await ask('GET', '/v1/events/names')).status, 500)
      } finally {
        await world.database.pool.query('alter table gone rename to event_counts')
      }
    },
  },
  ...['no look-up', 'one of the pair alone', 'more than three parameters'].map((says, at): Repeated => ({
    section: 7,
    table: 'messages',
    says,
    as: [RULES[at]!],
  })),
]

t.test('sections 4, 5 and 7', t =>
  checkRows(t, [...endpoints, ...parameters, ...sentences], {
    '4 endpoints': 16,
    '4 subscriptions': 6,
    '4 one-time payment': 4,
    '4 events': 10,
    '4 other events': 15,
    '4 webhook registration': 3,
    '7 errors': 3,
    '7 messages': 3,
  }),
)
