// One valid request of every route, for the things of a gateway.
import { randomUUID } from 'node:crypto'
import { buildAddress } from '@payment-tracking/testkit'
import { nameBy, type Party } from './open-system.js'

/** Ids that a request names. */
export type Target = Pick<
  Party,
  | 'address'
  | 'webhookId'
  | 'deliveryId'
  | 'policy'
  | 'signature'
  | 'trackingId'
  | 'expectationId'
  | 'sessionId'
> & {
  keyId: number
}

interface Request {
  path: string
  body?: unknown
  /** Where the status of success is not what this request gets. */
  status?: number
}

const at = (path: string) => () => ({ path })
const ofPolicy = (path: string) => (target: Target) => ({ path: path.replace(':address', target.policy) })
const ofWebhook =
  (tail = '', body?: unknown) =>
  (target: Target) => ({ path: `/v1/webhooks/${target.webhookId}${tail}`, body })
const ofMerchant = (tail: string) => (target: Target) => ({
  path: `/v1/gateway/${target.address}/merchant/${tail}`,
})

const ofExpectation =
  (tail = '') =>
  (target: Target) => ({ path: `/v1/gateway/${target.address}/expectations${tail}` })

/** By operation: a route without a row fails. */
export const REQUESTS: Record<string, (target: Target) => Request> = {
  getHealth: at('/v1/health'),
  listSubscriptions: target => ({ path: `/v1/subscriptions?gatewayPublicKey=${target.address}` }),
  getOneTimePayment: target => ({ path: `/v1/onetime/${target.trackingId}` }),
  listEvents: target => ({ path: `/v1/events?gateway=${target.address}` }),
  listPayments: target => ({ path: `/v1/events/payments?gateway=${target.address}` }),
  listPoliciesCreated: at('/v1/events/policies/created'),
  listPoliciesDeleted: at('/v1/events/policies/deleted'),
  listPolicyStatusChanges: at('/v1/events/policies/status-changed'),
  listGatewaysCreated: at('/v1/events/gateways/created'),
  listGatewaysDeleted: at('/v1/events/gateways/deleted'),
  listGatewaySignerChanges: at('/v1/events/gateways/signer-changed'),
  listGatewayFeeBpsChanges: at('/v1/events/gateways/fee-bps-changed'),
  listGatewayFeeRecipientChanges: at('/v1/events/gateways/fee-recipient-changed'),
  listUserPaymentsCreated: at('/v1/events/user-payments/created'),
  listReferralRewards: at('/v1/events/referrals/rewards'),
  listProgramConfigsCreated: at('/v1/events/program/config-created'),
  countEvents: at('/v1/events/count'),
  listEventNames: at('/v1/events/names'),
  getPaymentStats: target => ({ path: `/v1/events/payments/stats?gateway=${target.address}` }),
  getOverview: target => ({ path: `/v1/overview?gateway=${target.address}` }),
  checkPayment: target => ({
    path: `/v1/payments/check?trackingId=${target.trackingId}&amount=1&recipient=${target.policy}&tokenMint=${target.policy}`,
  }),
  listTokenMints: at('/v1/token-mints'),
  listPaymentPolicies: target => ({ path: `/v1/payment-policies?gatewayPublicKey=${target.address}` }),
  getPaymentPolicy: ofPolicy('/v1/payment-policies/:address'),
  listPaymentPolicyExecutions: ofPolicy('/v1/payment-policies/:address/executions'),
  listComposablePolicies: target => ({ path: `/v1/composable-policies?gatewayPublicKey=${target.address}` }),
  getComposablePolicy: target => ({ path: `/v1/composable-policies/${target.policy}`, status: 404 }),
  listComposablePolicyExecutions: ofPolicy('/v1/composable-policies/:address/executions'),
  listEventsOfName: at('/v1/events/typed/PaymentRecord'),
  listPrefixedEventNames: at('/v1/events/names/tributary'),
  challengeGateway: target => ({ path: `/v1/gateway/${target.address}/auth/challenge` }),
  // The signature is nobody's: what a right one gets, the set-up has seen.
  verifyGateway: target => ({
    path: `/v1/gateway/${target.address}/auth/verify`,
    body: { signer: target.address, signature: Array<number>(64).fill(7) },
    status: 401,
  }),
  openSession: at('/v1/session'),
  getSession: at('/v1/session'),
  endSession: at('/v1/session'),
  createSignInLink: at('/v1/session/links'),
  getKeys: at('/.well-known/jwks.json'),
  listKeys: at('/v1/jwks'),
  issueToken: target => ({
    path: '/v1/tokens/issue',
    body: { transactionSignature: target.signature },
  }),
  refreshToken: at('/v1/tokens/refresh'),
  createApiKey: () => ({ path: '/v1/api-keys', body: { name: 'machine', scopes: ['merchant:read'] } }),
  listApiKeys: at('/v1/api-keys'),
  revokeApiKey: target => ({ path: `/v1/api-keys/${target.keyId}` }),
  listSessions: at('/v1/sessions'),
  endGatewaySession: target => ({ path: `/v1/sessions/${target.sessionId}` }),
  endGatewaySessions: at('/v1/sessions'),
  listExpectations: ofExpectation(),
  getExpectation: target => ofExpectation(`/${target.expectationId}`)(target),
  getPublicExpectation: target => ({ path: `/v1/expectations/${target.expectationId}` }),
  createExpectation: target => ({
    ...ofExpectation()(target),
    body: {
      trackingId: `of ${randomUUID()}`,
      recipient: target.policy,
      tokenMint: target.policy,
      amount: '18446744073709551615',
    },
    status: 201,
  }),
  cancelExpectation: target => ofExpectation(`/${target.expectationId}/cancel`)(target),
  listMerchantPolicies: ofMerchant('policies'),
  listSubscribers: ofMerchant('subscribers'),
  // It paid both gateways.
  getSubscriber: target => ofMerchant(`subscribers/${buildAddress('payer')}`)(target),
  nameSubscriber: target => ({
    ...ofMerchant(`subscribers/${buildAddress('payer')}`)(target),
    body: { name: nameBy(target.address) },
  }),
  getRevenue: ofMerchant('revenue'),
  getCohorts: ofMerchant('cohorts'),
  listUpcoming: ofMerchant('upcoming'),
  listMerchantPayments: ofMerchant('payments'),
  exportMerchantData: ofMerchant('export/payments'),
  createWebhook: target => ({
    path: '/v1/webhooks',
    body: { gateway_pubkey: target.address, endpoint_url: 'http://127.0.0.1:1/another', format: 'standard' },
  }),
  getGatewaySettings: target => ({ path: `/v1/gateway/${target.address}/settings` }),
  updateGatewaySettings: target => ({
    path: `/v1/gateway/${target.address}/settings`,
    body: { webhookFormat: 'standard' },
  }),
  listWebhooks: at('/v1/webhooks'),
  listWebhooksOfGateway: target => ({ path: `/v1/webhooks/gateway/${target.address}` }),
  deleteWebhooksOfGateway: target => ({ path: `/v1/webhooks/gateway/${target.address}` }),
  getWebhook: ofWebhook(),
  updateWebhook: ofWebhook('', { description: 'mine' }),
  deleteWebhook: ofWebhook(),
  getWebhookSecret: ofWebhook('/secret'),
  rotateWebhookSecret: ofWebhook('/secret/rotate'),
  searchDeliveries: target => ({ path: `/v1/webhooks/deliveries?trackingId=${target.trackingId}` }),
  listDeliveries: ofWebhook('/deliveries'),
  readFeed: target => ({ path: `/v1/gateway/${target.address}/feed` }),
  listChanges: target => ({ path: `/v1/gateway/${target.address}/changes` }),
  listEndpointAnswers: ofWebhook('/answers'),
  search: target => ({ path: `/v1/search?q=${target.webhookId}` }),
  listGatewayDeliveries: target => ({ path: `/v1/gateway/${target.address}/deliveries?status=failed` }),
  getDelivery: target => ofWebhook(`/deliveries/${target.deliveryId}`)(target),
  redeliver: target => ofWebhook(`/deliveries/${target.deliveryId}/redeliver`)(target),
  redeliverMany: ofWebhook('/redeliver', { since: '2020-01-01' }),
  replayMissing: ofWebhook('/replay-missing', { since: new Date(Date.now() - 3_600_000).toISOString() }),
  readReplay: ofWebhook('/replay-missing'),
  testWebhook: ofWebhook('/test'),
  tracePayments: target => ({ path: `/v1/payments/${target.signature}/trace` }),
  // A plain request; the sockets are tried apart.
  streamEvents: () => ({ path: '/v1/events/stream', status: 426 }),
}
