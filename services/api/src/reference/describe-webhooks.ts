// The notifications that webhook endpoints receive, as the `webhooks` of the OpenAPI document.
import {
  EXPECTATION_TYPES,
  LIFECYCLE_TYPES,
  NOTICE_TYPES,
  PAYMENT_MESSAGE_TYPE,
  RETRACTION_MESSAGE_TYPE,
  TEST_MESSAGE_TYPE,
  type ExpectationType,
  type LifecycleDataField,
  type LifecycleType,
  type NoticeDataField,
  type NoticeType,
  type PaymentDataField,
} from '@payment-tracking/domain'
import { Type, type TSchema } from 'typebox'
import { DueRiskRecord } from '../policies/due-risk-record.js'
import { ExpectationFields } from '../expectations/expectation-schemas.js'
import { Integer, Moment, Nullable, PublicKey, Signature, Text } from '../http/fields.js'
import type { JSONObject } from './json-object.js'

const PaymentData = Type.Object(
  {
    trackingId: Nullable(Text('what the memo says', 'order-4711')),
    eventId: Text('`id` of its event record'),
    signature: Signature('transaction signature'),
    slot: Integer('blockchain slot', 452091000),
    timestamp: Integer('Unix time in seconds, by the program', 1794697200),
    paymentPolicy: PublicKey('the policy that was paid by'),
    gateway: PublicKey('the gateway that executed it'),
    recipient: Nullable(PublicKey('who was paid')),
    payer: Nullable(PublicKey('the wallet that paid')),
    tokenMint: Nullable(PublicKey('the token')),
    amount: Integer("in the token's smallest unit", 404000000),
    amountString: Text('the same as a text', '404000000'),
    memo: Text(
      'carries the tracking ID; up to its first NUL, with U+FFFD for what is no UTF-8',
      'order-4711',
    ),
    recordId: Integer("number of the payment within its policy's life", 10),
    seq: Nullable(Integer('counts the payments of its tracking ID from 1', 1)),
  } satisfies Record<PaymentDataField, TSchema>,
  { title: 'PaymentNotificationData' },
)
const TestData = Type.Object(
  { webhookId: Integer('the webhook', 17), gateway: PublicKey('the gateway') },
  { title: 'TestNotificationData' },
)

const POSITION = Integer(
  'a place in the stream of all events: as `x-min-position`, answers of this API know what is told here',
  6001,
)

/** @param position in bodies that have one; null where time is the cause, or the gateway */
const bodyOf = (type: string, title: string, data: TSchema, position: Record<string, TSchema> = {}) =>
  Type.Object(
    {
      id: Text('the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint'),
      type: Type.Literal(type),
      timestamp: Moment('of the event'),
      ...position,
      data,
    },
    { title },
  )

const header = (name: string, description: string): JSONObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const HEADERS = [
  header('webhook-id', 'dedupe by it'),
  header('webhook-timestamp', 'Unix time in seconds of this attempt'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation',
  ),
]

/** What a notification says, and when. */
interface Notice {
  summary: string
  description: string
}

const describe = (operationId: string, notice: Notice, body: TSchema): JSONObject => ({
  post: {
    operationId,
    ...notice,
    tags: ['webhooks'],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '200': { description: 'Any 2xx is success.' },
      '410': { description: 'Deactivates the webhook; every other answer is a failure, and is tried again.' },
    },
  },
})

const LifecycleData = Type.Object(
  {
    trackingId: Nullable(Text('what the memo of the policy says', 'order-4711')),
    paymentPolicy: PublicKey('the policy'),
    family: Text('`regular` or `composable`', 'regular'),
    policyId: Nullable(Integer('number of the policy within its user payment', 1)),
    gateway: PublicKey('the gateway'),
    recipient: Nullable(PublicKey('who is paid')),
    payer: Nullable(PublicKey('the wallet that pays')),
    tokenMint: Nullable(PublicKey('the token')),
    status: Nullable(Text('`active`, `paused` or `completed`', 'active')),
    paymentCount: Integer('number of its payments', 10),
    totalPaid: Integer("their sum in the token's smallest unit", 4040000000),
    totalPaidString: Text('the same as a text', '4040000000'),
    nextPaymentDue: Nullable(Integer('of a subscription, Unix time in seconds', 1795262400)),
    dueAt: Nullable(Integer('the due date or end that is told, Unix time in seconds', 1795262400)),
    eventId: Nullable(Text('`id` of the event that caused it; null for time')),
    signature: Nullable(Signature('its transaction')),
    slot: Nullable(Integer('its slot', 452091000)),
    dueRisk: Type.Optional(Nullable(DueRiskRecord)),
    clearedCause: Type.Optional(Text('of a risk that is over: the cause that was told')),
  } satisfies Record<LifecycleDataField, TSchema>,
  { title: 'LifecycleNotificationData' },
)

const ONCE = 'Told once for each policy and life.'
const ONCE_A_DATE = 'Told once for each policy and date.'

const LIFECYCLE: Readonly<Record<LifecycleType, Notice>> = {
  'subscription.created': { summary: 'A policy was created', description: `The chain says so. ${ONCE}` },
  'subscription.paused': {
    summary: 'A policy was paused',
    description: 'The chain says so. Payments stop until the policy is resumed.',
  },
  'subscription.resumed': { summary: 'A policy was resumed', description: 'The chain says so.' },
  'subscription.completed': {
    summary: 'A policy has nothing left to pay',
    description: `All its payments are stored, or the chain says so. ${ONCE}`,
  },
  'subscription.deleted': { summary: 'A policy was deleted', description: `The chain says so. ${ONCE}` },
  'subscription.due_soon': {
    summary: 'A payment is due soon',
    description: `Its due date is less than three days away, or as \`DUE_SOON_SECONDS\` says. ${ONCE_A_DATE}`,
  },
  'subscription.overdue': {
    summary: 'A payment is overdue',
    description: `Its due date passed two hours ago, or as \`OVERDUE_GRACE_SECONDS\` says, and no payment is stored. ${ONCE_A_DATE}`,
  },
  'subscription.expired': {
    summary: 'A policy takes no payment any more',
    description: `Its expiry date or deadline has passed. ${ONCE_A_DATE}`,
  },
  'subscription.at_risk': {
    summary: 'A due payment will fail',
    description:
      'The nodes see a cause: `dueRisk.cause`. Told at most once for each policy, due date and cause.',
  },
  'subscription.at_risk_cleared': {
    summary: 'A due payment is at risk no more',
    description: 'The cause is cured, or nothing is due any more. Told once for each risk that was told.',
  },
}

const EXPECTATIONS: Readonly<Record<ExpectationType, Notice>> = {
  'expectation.paid': {
    summary: 'What was expected is paid',
    description: 'The sum of the payments that count is the amount.',
  },
  'expectation.underpaid': {
    summary: 'A part of what was expected is paid',
    description:
      'The first part. A further part that is not all tells nothing before `expiresAt`. Afterwards each part tells the new sum, in the state `expired`: it is money of somebody.',
  },
  'expectation.overpaid': {
    summary: 'More than what was expected is paid',
    description: 'The sum of the payments that count is above the amount.',
  },
  'expectation.expired': {
    summary: 'What was expected was not paid in time',
    description: '`expiresAt` has passed and the sum is below the amount. A late payment still counts.',
  },
  'expectation.reopened': {
    summary: 'What was paid is not paid any more',
    description:
      'The finalized chain does not hold a payment that counted. Past `expiresAt`, `expectation.expired` follows.',
  },
}

const NoticeData = Type.Object(
  {
    webhookId: Integer('the webhook that fails', 17),
    gateway: PublicKey('the gateway'),
    origin: Text('where it points, without path and query: they can be a secret', 'https://shop.example'),
    failingSince: Nullable(Moment('no attempt has succeeded since then')),
    reason: Nullable(Text('why it was deactivated: `gone` (it answered 410) or `failing`')),
  } satisfies Record<NoticeDataField, TSchema>,
  { title: 'NoticeNotificationData' },
)

const NOTICES: Readonly<Record<NoticeType, Notice>> = {
  'webhook.failing': {
    summary: 'Another webhook fails',
    description:
      'One of its deliveries failed with all its tries because the endpoint did (no answer, 408, 425, 429 or 5xx), or its deliveries are held back while it fails; and nothing succeeded since. Told once.',
  },
  'webhook.deactivated': {
    summary: 'The service deactivated another webhook',
    description: 'Its endpoint answered 410, or failed for too long: `reason` says which.',
  },
}

/** `subscription.due_soon` as `SubscriptionDueSoon`. */
const pascalCase = (type: string): string =>
  type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** One entry for each type of notification. */
export const describeWebhooks = (): JSONObject => ({
  [PAYMENT_MESSAGE_TYPE]: describe(
    'onPaymentExecuted',
    {
      summary: 'A payment was stored',
      description:
        'Told of every payment of the gateway. Check recipient, mint and amount: anybody can write any memo.',
    },
    bodyOf(PAYMENT_MESSAGE_TYPE, 'PaymentNotification', PaymentData, { position: POSITION }),
  ),
  [RETRACTION_MESSAGE_TYPE]: describe(
    'onPaymentRetracted',
    {
      summary: 'A payment was retracted',
      description: 'The finalized chain does not hold a payment that this endpoint was told of.',
    },
    bodyOf(RETRACTION_MESSAGE_TYPE, 'RetractionNotification', PaymentData, { position: POSITION }),
  ),
  ...Object.fromEntries(
    LIFECYCLE_TYPES.map(type => [
      type,
      describe(
        `on${pascalCase(type)}`,
        LIFECYCLE[type],
        bodyOf(type, `${pascalCase(type)}Notification`, LifecycleData, { position: Nullable(POSITION) }),
      ),
    ]),
  ),
  ...Object.fromEntries(
    EXPECTATION_TYPES.map(type => [
      type,
      describe(
        `on${pascalCase(type)}`,
        EXPECTATIONS[type],
        bodyOf(
          type,
          `${pascalCase(type)}Notification`,
          Type.Object(ExpectationFields, { title: 'ExpectationNotificationData' }),
          { position: Nullable(POSITION) },
        ),
      ),
    ]),
  ),
  ...Object.fromEntries(
    NOTICE_TYPES.map(type => [
      type,
      describe(
        `on${pascalCase(type)}`,
        NOTICES[type],
        bodyOf(type, `${pascalCase(type)}Notification`, NoticeData),
      ),
    ]),
  ),
  [TEST_MESSAGE_TYPE]: describe(
    'onWebhookTest',
    { summary: 'A test', description: 'Sent by `POST /v1/webhooks/{id}/test`; no payment causes it.' },
    bodyOf(TEST_MESSAGE_TYPE, 'TestNotification', TestData),
  ),
})
