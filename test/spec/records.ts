// The specification, sections 1 to 3: what the service does, the fields of its records, and states.
import assert from 'node:assert/strict'
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import t from 'tap'
import { query, world } from './open-world.js'
import { checkRows, type Repeated, type Row } from './rows.js'

const { ask, shop, accounts, monthly, one, paid, token } = world
const [account] = accounts
const SUBSCRIPTION = query('/v1/subscriptions', { trackingId: 'monthly' })
const ONETIME = '/v1/onetime/one%20payment'
const EVENT = query('/v1/events', { signature: one.signature })
const secondsOf = (text: string) => Math.floor(Date.parse(text) / 1000)
const isMoment = (value: unknown) => new Date(value as string).toISOString() === value

const register = async () => {
  await ask('DELETE', `/v1/webhooks/gateway/${shop.address}`, { token })
  const body = { gateway_pubkey: shop.address, endpoint_url: 'http://127.0.0.1:9/hook', active: true }
  return (await ask('POST', '/v1/webhooks', { token, body })).body
}

/** A row for each field of a record: it holds what the chain said. */
const fieldsOf = (
  table: string,
  read: () => Promise<Record<string, unknown>>,
  fields: Record<string, unknown>,
): Row[] =>
  Object.entries(fields).map(([name, expected]) => ({
    section: 2,
    table,
    says: name,
    check: async () => {
      const value = (await read())[name]
      if (typeof expected === 'function') assert.ok(expected(value), `${name} is ${JSON.stringify(value)}`)
      else assert.deepEqual(value, expected)
    },
  }))

const dataOf = (path: string) => async () => (await ask('GET', path)).body.data
const firstOf = (path: string) => async () => {
  const { body } = await ask('GET', path)
  return (Array.isArray(body) ? body : body.data)[0]
}

const ENDPOINTS = '4 endpoints:'
const sentences: (Row | Repeated)[] = [
  {
    section: 1,
    says: 'a JSON interface over HTTP',
    as: [`${ENDPOINTS} GET /v1/health: health in the envelope`],
  },
  {
    section: 1,
    says: 'subscriptions and one-time payments are found by tracking ID or public key',
    as: [
      '4 subscriptions: trackingId',
      '4 subscriptions: userPublicKey',
      '4 one-time payment: trackingId in the path',
    ],
  },
  {
    section: 1,
    says: 'payments, policies and gateways that were read from the chain are stored and returned',
    as: [
      '4 other events: /v1/events/payments paymentPolicy',
      '4 other events: /v1/events/policies/created gateway',
      '4 other events: /v1/events/gateways/created authority',
    ],
  },
  {
    section: 1,
    says: 'a gateway registers, lists, updates and deletes webhooks',
    as: [
      `${ENDPOINTS} POST /v1/webhooks: the three fields are enough; the bare record`,
      `${ENDPOINTS} GET /v1/webhooks: webhooks`,
      `${ENDPOINTS} PUT /v1/webhooks/:id: changes whether it is active`,
      `${ENDPOINTS} DELETE /v1/webhooks/:id: 204 without content`,
    ],
  },
  {
    section: 1,
    says: 'what the queue carries is served',
    as: [`${ENDPOINTS} GET /v1/events/count: counts by name and time`],
  },
  {
    section: 1,
    says: 'an environment is a deployment of its own, which sign-in names',
    check: async () => {
      const { body } = await ask('POST', `/v1/gateway/${shop.address}/auth/challenge`)
      assert.ok(body.nonce.includes(world.settings.ENVIRONMENT), body.nonce)
    },
  },
  {
    section: 2,
    says: 'health, subscriptions and one-time payments come in the envelope',
    as: [
      `${ENDPOINTS} GET /v1/health: health in the envelope`,
      `${ENDPOINTS} GET /v1/subscriptions: an array in the envelope`,
      `${ENDPOINTS} GET /v1/onetime/:trackingId: the payment in the envelope`,
    ],
  },
  {
    section: 2,
    says: 'events and webhooks come bare',
    as: [
      `${ENDPOINTS} GET /v1/events: a bare array`,
      `${ENDPOINTS} POST /v1/webhooks: the three fields are enough; the bare record`,
    ],
  },
]

const rows: (Row | Repeated)[] = [
  ...sentences,
  ...fieldsOf('envelope', async () => (await ask('GET', SUBSCRIPTION)).body, {
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
  ...fieldsOf('subscription policy', async () => (await firstOf(SUBSCRIPTION)()).policyType.subscription, {
    amount: 404_000_000,
    autoRenew: true,
    maxRenewals: 24,
    paymentFrequency: { Monthly: null },
    nextPaymentDue: world.due,
  }),
  {
    section: 2,
    says: 'maxRenewals is null without a cap',
    check: async () => {
      const [record] = (await ask('GET', query('/v1/subscriptions', { trackingId: 'custom' }))).body.data
      assert.equal(record.policyType.subscription.maxRenewals, null)
    },
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
  ...fieldsOf('webhook record', register, {
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
    as: [`${ENDPOINTS} PUT /v1/webhooks/:id: changes whether it is active`],
  },
  {
    section: 3,
    table: 'states',
    says: 'DELETE removes a webhook, answers 204 and no body',
    as: [`${ENDPOINTS} DELETE /v1/webhooks/:id: 204 without content`],
  },
]

t.test('sections 1 to 3', t =>
  checkRows(t, rows, {
    '2 envelope': 3,
    '2 health': 3,
    '2 subscription record': 9,
    '2 subscription policy': 5,
    '2 one-time payment record': 9,
    '2 event record': 6,
    '2 webhook record': 5,
    '3 states': 2,
  }),
)
