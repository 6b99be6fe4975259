// The body of a webhook request: rendered once, stored, and sent with the same bytes in every attempt.
import { hash } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { PEOPLE_FORMATS } from './people-message.js'
import { EXPECTATION_TYPES } from '../expectations/expectation-types.js'
import { LIFECYCLE_TYPES, NOTICE_TYPES } from '../policies/lifecycle-types.js'

export const PAYMENT_MESSAGE_TYPE = 'payment.executed'
export const RETRACTION_MESSAGE_TYPE = 'payment.retracted'
export const TEST_MESSAGE_TYPE = 'webhook.test'

/** The types of message that a webhook can choose, and a reader of a feed. Without a choice either gets payments. */
export const WEBHOOK_EVENT_TYPES = [
  PAYMENT_MESSAGE_TYPE,
  RETRACTION_MESSAGE_TYPE,
  ...LIFECYCLE_TYPES,
  ...EXPECTATION_TYPES,
  ...NOTICE_TYPES,
] as const
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

export interface DeliveryMessage {
  /** `webhook-id`: one per event, for every attempt, redelivery and endpoint; never holds a dot */
  id: string
  type: string
  /** JSON text */
  body: string
}

/** Integers come as decimal strings and go out as JSON literals: a double would round them. */
const INTEGER = /^-?\d+$/

function literal(name: string, digits: string): string {
  if (!INTEGER.test(digits)) throw new TypeError(`${name} is not an integer: ${digits}`)
  return digits
}

/**
 * The id follows from the event and the content of the message, except for its position, which is of this database alone. A database that lost commits stores the event again. If
 * the content is the same, the receiver gets the same id and body. If the content differs, for example in `seq` or a
 * payer that has become known, the id differs too. The signed text is `id.timestamp.body`, so an id must not hold the
 * separator.
 */
export function paymentMessageId(eventId: string, content: string): string {
  const digest = hash('sha256', content, 'hex').slice(0, 12)
  return `msg_${eventId.replaceAll(/[^A-Za-z0-9]/g, '')}${digest}`
}

/**
 * The message of a payment. `amount` and `timestamp` keep every digit; unknown values are null.
 */
export const renderPaymentMessage = (payment: CommittedPayment): DeliveryMessage =>
  renderMessage(PAYMENT_MESSAGE_TYPE, '', payment)

/**
 * How a webhook is notified: in our form; payments as the incumbent sends them, and everything else in our form; or in a line that
 * people read, which is made of our form when it is sent.
 */
export const WEBHOOK_FORMATS = ['standard', 'tributary', ...PEOPLE_FORMATS] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

const MEMO_BYTES = 64

/**
 * The message of a payment as the incumbent writes it, under the id of ours. `memo` holds the tracking ID's bytes; a memo
 * that is no tracking ID is sent as zeros.
 */
export function renderTributaryMessage(details: CommittedPayment): DeliveryMessage {
  const { id, type } = renderPaymentMessage(details)
  const memo = Buffer.alloc(MEMO_BYTES)
  memo.write(details.trackingId ?? '')
  const data = [
    `"payment_policy":${JSON.stringify(details.paymentPolicy)}`,
    `"gateway":${JSON.stringify(details.gateway)}`,
    `"amount":${literal('amount', details.amount)}`,
    `"timestamp":${literal('paidAt', details.paidAt)}`,
    `"memo":[${[...memo].join(',')}]`,
    `"record_id":${details.recordId}`,
    `"payer":${JSON.stringify(details.payer)}`,
    `"recipient":${JSON.stringify(details.recipient)}`,
    `"signature":${JSON.stringify(details.signature)}`,
  ].join(',')
  const timestamp = JSON.stringify(details.occurredAt)
  return { id, type, body: `{"event":"tributary_PaymentRecord","data":{${data}},"timestamp":${timestamp}}` }
}

/**
 * The message that a payment was retracted: the finalized chain does not hold its transaction. The message describes the
 * payment as it is known now, and has its own id.
 */
export const renderRetractionMessage = (payment: CommittedPayment): DeliveryMessage =>
  renderMessage(RETRACTION_MESSAGE_TYPE, 'retracted', payment)

const text = (value: string | null): string => JSON.stringify(value)

/** The fields of `data` in the order in which they are written, as JSON text. */
const PAYMENT_DATA = {
  trackingId: payment => text(payment.trackingId),
  eventId: payment => text(payment.eventId),
  signature: payment => text(payment.signature),
  slot: payment => String(payment.slot),
  timestamp: payment => literal('paidAt', payment.paidAt),
  paymentPolicy: payment => text(payment.paymentPolicy),
  gateway: payment => text(payment.gateway),
  recipient: payment => text(payment.recipient),
  payer: payment => text(payment.payer),
  tokenMint: payment => text(payment.tokenMint),
  amount: payment => literal('amount', payment.amount),
  amountString: payment => text(payment.amount),
  memo: payment => text(payment.trackingId ?? payment.memo ?? ''),
  recordId: payment => String(payment.recordId),
  seq: payment => String(payment.seq),
} satisfies Record<string, (payment: CommittedPayment) => string>
export type PaymentDataField = keyof typeof PAYMENT_DATA
const PAYMENT_FIELDS = Object.entries(PAYMENT_DATA)

/** @param suffix letters that distinguish the id of this type from those of others */
function renderMessage(type: string, suffix: string, payment: CommittedPayment): DeliveryMessage {
  const data = PAYMENT_FIELDS.map(([name, write]) => `"${name}":${write(payment)}`).join(',')
  const id = `${paymentMessageId(payment.eventId, data)}${suffix}`
  return {
    id,
    type,
    body: `{"id":"${id}","type":"${type}","timestamp":${text(payment.occurredAt)},"position":${literal('position', payment.position)},"data":{${data}}}`,
  }
}

/**
 * The message of a test delivery, without a payment: in the shape of the webhook's format, and of a type that no receiver
 * takes for a payment.
 * @param nonce letters and digits that make this test's id its own
 */
export function renderTestMessage(test: {
  webhookId: bigint
  gateway: string
  format: WebhookFormat
  nonce: string
  at: Date
}): DeliveryMessage {
  const id = `msg_test${test.nonce.replaceAll(/[^A-Za-z0-9]/g, '')}`
  const data = { webhookId: Number(test.webhookId), gateway: test.gateway }
  const timestamp = test.at.toISOString()
  const body =
    test.format === 'tributary'
      ? { event: TEST_MESSAGE_TYPE, data, timestamp }
      : { id, type: TEST_MESSAGE_TYPE, timestamp, data }
  return { id, type: TEST_MESSAGE_TYPE, body: JSON.stringify(body) }
}
