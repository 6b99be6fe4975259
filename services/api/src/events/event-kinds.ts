// The lists of one kind of event each. They differ only in name and filters, so a table describes them.
import type { EventFilter } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import { ARCHIVED_REFUSAL, READ_REFUSALS } from '../http/error-answer-schema.js'
import { EventRecords } from './event-record.js'
import { Cursor, IncludeRetracted, Limit, Offset, PublicKey } from '../http/fields.js'
import { answerEvents } from './event-list.js'
import type { AddRoutes } from '../route-parts.js'

/** The description of each filter in the reference. */
const FILTERS = {
  gateway: 'the gateway of the event',
  paymentPolicy: 'the policy of the event',
  recipient: 'who is paid',
  directPayer: 'who paid: payments without a policy alone; those of policies are found by `paymentPolicy`',
  directRecipient: 'who was paid: payments without a policy alone',
  userPayment: 'the user payment account',
  authority: "the gateway's authority",
} as const satisfies Partial<Record<keyof EventFilter, string>>

/** Filters by a field of `data` that has another name there. */
const FIELD_FILTERS = {
  owner: { field: 'owner', says: 'the wallet that owns the account' },
  tokenMint: { field: 'token_mint', says: 'the token' },
  admin: { field: 'admin', says: 'the admin of the program' },
  rewardGateway: { field: 'gateway', says: 'the gateway of the payment' },
  rewardPolicy: { field: 'payment_policy', says: 'the policy of the payment' },
} as const
type FieldFilter = keyof typeof FIELD_FILTERS

interface EventKind {
  path: string
  /**
   * null for payments, which have two event names: one for regular policies and direct payments, one for composable
   * policies
   */
  eventName: string | null
  operationId: string
  summary: string
  filters: readonly (keyof typeof FILTERS)[]
  /** by parameter name */
  fields?: Readonly<Record<string, FieldFilter>>
}

export const EVENT_KINDS: readonly EventKind[] = [
  {
    path: 'payments',
    eventName: null,
    operationId: 'listPayments',
    summary: 'List payments',
    filters: ['gateway', 'paymentPolicy', 'directPayer', 'directRecipient'],
  },
  {
    path: 'policies/created',
    eventName: 'PaymentPolicyCreated',
    operationId: 'listPoliciesCreated',
    summary: 'List policies created',
    filters: ['gateway', 'recipient', 'userPayment'],
  },
  {
    path: 'policies/deleted',
    eventName: 'PaymentPolicyDeleted',
    operationId: 'listPoliciesDeleted',
    summary: 'List policies deleted',
    filters: ['paymentPolicy'],
    fields: { owner: 'owner' },
  },
  {
    path: 'policies/status-changed',
    eventName: 'PaymentPolicyStatusChanged',
    operationId: 'listPolicyStatusChanges',
    summary: "List changes of policies' status",
    filters: ['paymentPolicy'],
  },
  {
    path: 'gateways/created',
    eventName: 'PaymentGatewayCreated',
    operationId: 'listGatewaysCreated',
    summary: 'List gateways created',
    filters: ['authority'],
  },
  {
    path: 'gateways/deleted',
    eventName: 'PaymentGatewayDeleted',
    operationId: 'listGatewaysDeleted',
    summary: 'List gateways deleted',
    filters: ['gateway', 'authority'],
  },
  {
    path: 'gateways/signer-changed',
    eventName: 'GatewaySignerChanged',
    operationId: 'listGatewaySignerChanges',
    summary: "List changes of gateways' signers",
    filters: ['gateway'],
  },
  {
    path: 'gateways/fee-bps-changed',
    eventName: 'GatewayFeeBpsChanged',
    operationId: 'listGatewayFeeBpsChanges',
    summary: "List changes of gateways' fees",
    filters: ['gateway'],
  },
  {
    path: 'gateways/fee-recipient-changed',
    eventName: 'GatewayFeeRecipientChanged',
    operationId: 'listGatewayFeeRecipientChanges',
    summary: 'List changes of fee recipients',
    filters: ['gateway'],
  },
  {
    path: 'user-payments/created',
    eventName: 'UserPaymentCreated',
    operationId: 'listUserPaymentsCreated',
    summary: 'List user payments created',
    filters: ['userPayment'],
    fields: { owner: 'owner', tokenMint: 'tokenMint' },
  },
  {
    path: 'referrals/rewards',
    eventName: 'ReferralRewardDistributedRecord',
    operationId: 'listReferralRewards',
    summary: 'List referral rewards',
    filters: [],
    fields: { gateway: 'rewardGateway', paymentPolicy: 'rewardPolicy' },
  },
  {
    path: 'program/config-created',
    eventName: 'ProgramConfigCreated',
    operationId: 'listProgramConfigsCreated',
    summary: 'List program configurations',
    filters: [],
    fields: { admin: 'admin' },
  },
]

export const eventKindRoutes: AddRoutes = (app, { tokens }) => {
  for (const { path, eventName, operationId, summary, filters, fields = {} } of EVENT_KINDS) {
    const filterSchemas = Object.fromEntries([
      ...filters.map(name => [name, Type.Optional(PublicKey(FILTERS[name]))] as const),
      ...Object.entries(fields).map(
        ([name, field]) => [name, Type.Optional(PublicKey(FIELD_FILTERS[field].says))] as const,
      ),
    ])
    app.get(
      `/v1/events/${path}`,
      {
        config: { reads: 'replicas' },
        schema: {
          operationId,
          // What most readers come for stands with the other routes of payments.
          tags: [eventName === null ? 'payments' : 'events'],
          summary,
          description: `${eventName ?? 'PaymentRecord and ComposableExecuted'} events, newest first.`,
          querystring: Type.Object({
            ...filterSchemas,
            retracted: IncludeRetracted(),
            limit: Limit(),
            offset: Offset(),
            cursor: Cursor(),
          }),
          response: { 200: EventRecords, ...ARCHIVED_REFUSAL, ...READ_REFUSALS },
        },
      },
      async (request, reply) => {
        const page = request.query
        const query = request.query as unknown as Record<string, string | undefined>
        const filter: EventFilter = {
          ...(eventName === null ? { payments: true } : { name: eventName }),
          retracted: page.retracted,
          ...Object.fromEntries(filters.map(name => [name, query[name]])),
          ...(Object.keys(fields).length === 0
            ? {}
            : {
                fields: Object.fromEntries(
                  Object.entries(fields).map(([name, field]) => [FIELD_FILTERS[field].field, query[name]]),
                ),
              }),
        }
        return answerEvents(tokens, filter, page, request, reply)
      },
    )
  }
}
