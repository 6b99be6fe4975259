// What endpoints of webhooks receive, as the `webhooks` of the OpenAPI document.
import { PAYMENT_MESSAGE_TYPE, RETRACTION_MESSAGE_TYPE, TEST_MESSAGE_TYPE } from '@payment-tracking/domain'
import { Type, type TSchema } from 'typebox'
import { Integer, Moment, Nullable, PublicKey, Signature, Text } from '../schemas/fields.js'
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
    memo: Nullable(Text('carries the tracking ID', 'order-4711')),
    recordId: Integer("number of the payment within its policy's life", 10),
    seq: Nullable(Integer('counts the payments of its tracking ID from 1', 1)),
  },
  { title: 'PaymentNotificationData' },
)
const TestData = Type.Object(
  { webhookId: Integer('the webhook', 17), gateway: PublicKey('the gateway') },
  { title: 'TestNotificationData' },
)

const bodyOf = (type: string, title: string, data: TSchema) =>
  Type.Object(
    {
      id: Text('the same as `webhook-id`: one per event, for every attempt, redelivery and endpoint'),
      type: Type.Literal(type),
      timestamp: Moment('of the event'),
      data,
    },
    { title },
  )

const header = (name: string, description: string): JSONObject => ({
  ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
})

const HEADERS = [
  header('webhook-id', 'dedupe by it'),
  header('webhook-timestamp', 'Unix time in seconds of this attempt'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several during a rotation',
  ),
]

const describe = (operationId: string, summary: string, body: TSchema): JSONObject => ({
  post: {
    ...{ operationId, summary, tags: ['webhooks'], parameters: HEADERS },
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '200': { description: 'Any 2xx is success.' },
      '410': { description: 'Deactivates the webhook; every other answer is a failure, and is tried again.' },
    },
  },
})

/** One entry for each type of notification. */
export const describeWebhooks = (): JSONObject => ({
  [PAYMENT_MESSAGE_TYPE]: describe(
    'onPaymentExecuted',
    'A payment was stored',
    bodyOf(PAYMENT_MESSAGE_TYPE, 'PaymentNotification', PaymentData),
  ),
  [RETRACTION_MESSAGE_TYPE]: describe(
    'onPaymentRetracted',
    'The finalized chain does not hold a payment that was told',
    bodyOf(RETRACTION_MESSAGE_TYPE, 'RetractionNotification', PaymentData),
  ),
  [TEST_MESSAGE_TYPE]: describe(
    'onWebhookTest',
    'Sent by `POST /v1/webhooks/{id}/test`',
    bodyOf(TEST_MESSAGE_TYPE, 'TestNotification', TestData),
  ),
})
