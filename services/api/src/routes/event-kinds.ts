// The lists of one kind of event each. They differ in their name and filters alone, so they are a table.
import type { EventFilter } from '@payment-tracking/store'
import { Type } from 'typebox'
import { READ_REFUSALS } from '../schemas/error-answer.js'
import { EventRecords } from '../schemas/event-record.js'
import { Cursor, IncludeRetracted, Limit, Offset, PublicKey } from '../schemas/fields.js'
import { answerEvents } from './event-list.js'
import type { AddRoutes } from './add-routes.js'

/** What each filter says in the reference. */
const FILTERS = {
  gateway: 'the gateway of the event',
  paymentPolicy: 'the policy of the event',
  recipient: 'who is paid',
  userPayment: 'the user payment account',
  authority: "the gateway's authority",
} as const satisfies Partial<Record<keyof EventFilter, string>>

interface EventKind {
  path: string
  /** null for payments, which are two: of regular policies and direct ones, and of composable policies */
  eventName: string | null
  operationId: string
  summary: string
  filters: readonly (keyof typeof FILTERS)[]
}

export const EVENT_KINDS: readonly EventKind[] = [
  {
    path: 'payments',
    eventName: null,
    operationId: 'listPayments',
    summary: 'Payments',
    filters: ['gateway', 'paymentPolicy'],
  },
  {
    path: 'policies/created',
    eventName: 'PaymentPolicyCreated',
    operationId: 'listPoliciesCreated',
    summary: 'Policies created',
    filters: ['gateway', 'recipient', 'userPayment'],
  },
  {
    path: 'policies/deleted',
    eventName: 'PaymentPolicyDeleted',
    operationId: 'listPoliciesDeleted',
    summary: 'Policies deleted',
    filters: ['paymentPolicy'],
  },
  {
    path: 'policies/status-changed',
    eventName: 'PaymentPolicyStatusChanged',
    operationId: 'listPolicyStatusChanges',
    summary: 'Policies paused, resumed and completed',
    filters: ['paymentPolicy'],
  },
  {
    path: 'gateways/created',
    eventName: 'PaymentGatewayCreated',
    operationId: 'listGatewaysCreated',
    summary: 'Gateways created',
    filters: ['authority'],
  },
  {
    path: 'gateways/deleted',
    eventName: 'PaymentGatewayDeleted',
    operationId: 'listGatewaysDeleted',
    summary: 'Gateways deleted',
    filters: ['gateway', 'authority'],
  },
  {
    path: 'gateways/signer-changed',
    eventName: 'GatewaySignerChanged',
    operationId: 'listGatewaySignerChanges',
    summary: 'Signers of gateways changed',
    filters: ['gateway'],
  },
  {
    path: 'gateways/fee-bps-changed',
    eventName: 'GatewayFeeBpsChanged',
    operationId: 'listGatewayFeeBpsChanges',
    summary: 'Fees of gateways changed',
    filters: ['gateway'],
  },
  {
    path: 'gateways/fee-recipient-changed',
    eventName: 'GatewayFeeRecipientChanged',
    operationId: 'listGatewayFeeRecipientChanges',
    summary: 'Fee recipients of gateways changed',
    filters: ['gateway'],
  },
  {
    path: 'user-payments/created',
    eventName: 'UserPaymentCreated',
    operationId: 'listUserPaymentsCreated',
    summary: 'User payment accounts created',
    filters: ['userPayment'],
  },
]

/** The page of such a list; its filters are all optional public keys. */
interface KindQuery extends Partial<Record<keyof typeof FILTERS, string>> {
  limit: number
  offset: number
  cursor?: string
  retracted?: boolean
}

export const eventKindRoutes: AddRoutes = (app, { store, tokens }) => {
  for (const { path, eventName, operationId, summary, filters } of EVENT_KINDS) {
    const filterSchemas = Object.fromEntries(
      filters.map(name => [name, Type.Optional(PublicKey(FILTERS[name]))]),
    )
    app.get(
      `/v1/events/${path}`,
      {
        schema: {
          operationId,
          tags: ['events'],
          summary,
          description: `${eventName ?? 'PaymentRecord and ComposableExecuted'} events, newest first.`,
          querystring: Type.Object({
            ...filterSchemas,
            retracted: IncludeRetracted(),
            limit: Limit(),
            offset: Offset(),
            cursor: Cursor(),
          }),
          response: { 200: EventRecords, ...READ_REFUSALS },
        },
      },
      async (request, reply) => {
        const { limit, offset, cursor, ...filter } = request.query as KindQuery
        const page = { limit, offset, cursor }
        const kind = eventName === null ? { payments: true } : { name: eventName }
        return answerEvents({ store, tokens }, { ...filter, ...kind }, page, request, reply)
      },
    )
  }
}
