// The specification, sections 1 to 3: what the service does, the fields of its records, and states.
import assert from 'node:assert/strict'
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import t from 'tap'
import { query, world } from './open-world.js'
import {
  answersStatus,
  checkRows,
  ignoresField,
  otherEnvelope,
  readsParameter,
  withoutField,
  type Ask,
  type Row,
} from './rows.js'

const { shop, accounts, monthly, one, paid, token } = world
const [account] = accounts
const SUBSCRIPTION = query('/v1/subscriptions', { trackingId: 'monthly' })
const ONETIME = '/v1/onetime/one%20payment'
const EVENT = query('/v1/events', { signature: one.signature })
const secondsOf = (text: string) => Math.floor(Date.parse(text) / 1000)
const isMoment = (value: unknown) => new Date(value as string).toISOString() === value

const register = async (ask: Ask, more: Record<string, unknown> = {}) => {
  await world.ask('DELETE', `/v1/webhooks/gateway/${shop.address}`, { token })
  const body = {
    gateway_pubkey: shop.address,
    endpoint_url: 'http://127.0.0.1:9/hook',
    active: true,
    ...more,
  }
  return ask('POST', '/v1/webhooks', { token, body })
}

/** A row for each field of a record: it holds what the chain said. */
const fieldsOf = (
  table: string,
  read: (ask: Ask) => Promise<Record<string, unknown>>,
  fields: Record<string, unknown>,
): Row[] =>
  Object.entries(fields).map(([name, expected]) => ({
    section: 2,
    table,
    says: name,
    check: async ({ ask }) => {
      const value = (await read(ask))[name]
      if (typeof expected === 'function') assert.ok(expected(value), `${name} is ${JSON.stringify(value)}`)
      else assert.deepEqual(value, expected)
    },
    breaks: withoutField(name),
  }))

const dataOf = (path: string) => async (ask: Ask) => (await ask('GET', path)).body.data
const firstOf = (path: string) => async (ask: Ask) => {
  const { body } = await ask('GET', path)
  return (Array.isArray(body) ? body : body.data)[0]
}

const isEnveloped = (path: string) => async (ask: Ask) => {
  const { body } = await ask('GET', path)
  assert.deepEqual(Object.keys(body).sort(), ['data', 'success', 'timestamp'], path)
}
const isBare = async (ask: Ask, path: string) => {
  const { body } = await ask('GET', path, { token })
  assert.ok(!Object.hasOwn(body, 'success'), path)
}

const sentences: Row[] = [
  {
    section: 1,
    says: 'a JSON interface over HTTP',
    check: async ({ ask }) => assert.equal(typeof (await ask('GET', '/v1/health')).body, 'object'),
    breaks: [{ answer: answer => ({ ...answer, body: undefined }) }],
  },
  {
    section: 1,
    says: 'subscriptions and one-time payments are found by tracking ID or public key',
    check: async ({ ask }) => {
      for (const path of [SUBSCRIPTION, query('/v1/subscriptions', { userPublicKey: account.owner })])
        assert.equal((await ask('GET', path)).body.data[0].policyAddress, monthly.address)
      assert.equal((await ask('GET', ONETIME)).body.data.signature, one.signature)
    },
    breaks: [readsParameter('trackingId', 'custom'), readsParameter('userPublicKey', accounts[1].owner)],
  },
  {
    section: 1,
    says: 'payments, policies and gateways that were read from the chain are stored and returned',
    check: async ({ ask }) => {
      for (const [path, message] of [
        ['/v1/events/payments', world.many.at(-1)!],
        ['/v1/events/policies/created', world.endless.created],
        ['/v1/events/gateways/created', world.other.created],
      ] as const) {
        const [event] = (await ask('GET', query(path, { limit: 1 }))).body
        assert.equal(event.signature, message.signature)
        assert.deepEqual(event.data.memo, message.data.memo)
      }
    },
    breaks: withoutField('signature'),
  },
  {
    section: 1,
    says: 'a gateway registers, lists, updates and deletes webhooks',
    check: async ({ ask }) => {
      const { id } = (await register(ask)).body
      const list = async () => (await ask('GET', '/v1/webhooks', { token })).body as { active: boolean }[]
      assert.equal((await list()).length, 1)
      await ask('PUT', `/v1/webhooks/${id}`, { token, body: { active: false } })
      assert.deepEqual(
        (await list()).map(({ active }) => active),
        [false],
      )
      await ask('DELETE', `/v1/webhooks/${id}`, { token })
      assert.deepEqual(await list(), [])
    },
    breaks: ['POST', 'PUT', 'DELETE'].map(method => ({
      asked: asked => (asked.method === method ? { ...asked, method: 'GET', path: '/v1/health' } : asked),
    })),
  },
  {
    section: 1,
    says: 'what the queue carries is served',
    check: async ({ ask }) =>
      assert.equal((await ask('GET', '/v1/events/count')).body.count, world.messages.length),
    breaks: withoutField('count'),
  },
  {
    section: 1,
    says: 'an environment is a deployment of its own, which sign-in names',
    check: async ({ ask }) => {
      const { body } = await ask('POST', `/v1/gateway/${shop.address}/auth/challenge`)
      assert.ok(body.nonce.includes(world.settings.ENVIRONMENT), body.nonce)
    },
    breaks: withoutField('nonce'),
  },
  {
    section: 2,
    says: 'health, subscriptions and one-time payments come in the envelope',
    check: async ({ ask }) => {
      for (const path of ['/v1/health', SUBSCRIPTION, ONETIME]) await isEnveloped(path)(ask)
    },
    breaks: [otherEnvelope],
  },
  {
    section: 2,
    says: 'events and webhooks come bare',
    check: async ({ ask }) => {
      const { id } = (await register(world.ask)).body
      for (const path of [
        ...[
          '',
          '/count',
          '/names',
          '/payments',
          '/payments/stats',
          '/policies/created',
          '/gateways/created',
        ].map(list => `/v1/events${list}`),
        ...['', `/gateway/${shop.address}`, `/${id}`].map(list => `/v1/webhooks${list}`),
      ])
        await isBare(ask, path)
    },
    breaks: [otherEnvelope],
  },
]

const rows: Row[] = [
  ...sentences,
  ...fieldsOf('envelope', async ask => (await ask('GET', SUBSCRIPTION)).body, {
    success: true,
    data: (value: unknown) => Array.isArray(value),
    timestamp: (value: number) => Number.isInteger(value) && Math.abs(value - Date.now()) < 3_600_000,
  }),
  ...fieldsOf('health', dataOf('/v1/health'), {
    status: 'ok',
    service: 'payment-tracking-api',
    version: (value: string) => /^\d+\.\d+\.\d+/.test(value),
  }),
  ...fieldsOf('subscription record', firstOf(SUBSCRIPTION), {
    userPayment: account.address,
    recipient: monthly.recipient,
    gateway: shop.address,
    policyId: 1,
    policyType: (value: object) => typeof value === 'object' && Object.keys(value).join() === 'subscription',
    memo: 'monthly',
    totalPaid: 808_000_000,
    createdAt: secondsOf(monthly.created.timestamp),
    updatedAt: Number(paid[1]!.data.timestamp),
  }),
  ...fieldsOf(
    'subscription policy',
    async ask => (await firstOf(SUBSCRIPTION)(ask)).policyType.subscription,
    {
      amount: 404_000_000,
      autoRenew: true,
      maxRenewals: 24,
      paymentFrequency: { Monthly: null },
      nextPaymentDue: world.due,
    },
  ),
  {
    section: 2,
    says: 'maxRenewals is null without a cap',
    check: async ({ ask }) => {
      const [record] = (await ask('GET', query('/v1/subscriptions', { trackingId: 'custom' }))).body.data
      assert.equal(record.policyType.subscription.maxRenewals, null)
    },
    breaks: withoutField('maxRenewals'),
  },
  ...fieldsOf('one-time payment record', dataOf(ONETIME), {
    trackingId: 'one payment',
    signature: one.signature,
    slot: one.slot,
    timestamp: one.timestamp,
    paymentPolicy: DIRECT_TRANSFER_POLICY,
    gateway: shop.address,
    amount: 5_000_000,
    memo: 'one payment',
    recordId: 0,
  }),
  ...fieldsOf('event record', firstOf(EVENT), {
    id: (value: unknown) => typeof value === 'string' && value !== '',
    slot: one.slot,
    signature: one.signature,
    eventName: 'PaymentRecord',
    data: (value: object) => Object.entries(one.data).every(([name]) => Object.hasOwn(value, name)),
    timestamp: (value: unknown) => value === one.timestamp && isMoment(value),
  }),
  ...fieldsOf('webhook record', async ask => (await register(ask)).body, {
    id: (value: unknown) => Number.isInteger(value),
    gatewayPubkey: shop.address,
    endpointUrl: 'http://127.0.0.1:9/hook',
    active: true,
    createdAt: isMoment,
  }),
  {
    section: 3,
    table: 'states',
    says: 'PUT makes a webhook active or not, as the request says',
    check: async ({ ask }) => {
      const { id } = (await register(world.ask)).body
      for (const active of [false, true, false]) {
        const changed = await ask('PUT', `/v1/webhooks/${id}`, { token, body: { active } })
        assert.deepEqual([changed.status, changed.body.active], [200, active])
        assert.equal((await ask('GET', `/v1/webhooks/${id}`, { token })).body.active, active)
      }
      const none = await ask('PUT', '/v1/webhooks/999999', { token, body: { active: true } })
      assert.equal(none.status, 404)
    },
    breaks: [ignoresField('active'), ...withoutField('active')],
  },
  {
    section: 3,
    table: 'states',
    says: 'DELETE removes a webhook, answers 204 and no body',
    check: async ({ ask }) => {
      const { id } = (await register(world.ask)).body
      const { status, text } = await ask('DELETE', `/v1/webhooks/${id}`, { token })
      assert.deepEqual([status, text], [204, ''])
      assert.equal((await ask('GET', `/v1/webhooks/${id}`, { token })).status, 404)
      assert.equal((await ask('DELETE', `/v1/webhooks/${id}`, { token })).status, 404)
    },
    breaks: [
      answersStatus(204),
      { answer: answer => ({ ...answer, text: answer.text || '{}' }) },
      { asked: asked => ({ ...asked, method: 'GET' }) },
    ],
  },
]

t.test('sections 1 to 3', t =>
  checkRows(t, {
    rows,
    tables: {
      '2 envelope': 3,
      '2 health': 3,
      '2 subscription record': 9,
      '2 subscription policy': 5,
      '2 one-time payment record': 9,
      '2 event record': 6,
      '2 webhook record': 5,
      '3 states': 2,
    },
    subject: { ask: world.ask, seen: null },
  }),
)
