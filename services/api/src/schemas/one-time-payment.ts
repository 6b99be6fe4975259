import { Type, type Static } from 'typebox'
import type { StoredOneTimePayment } from '@payment-tracking/store'
import { Integer, Moment, PublicKey, Signature, Text } from './fields.js'
import {
  FinalityField,
  PaymentFields,
  RetractedField,
  toPaymentFields,
  toStanding,
} from './payment-fields.js'
import type { Tokens } from './tokens.js'

export const OneTimePayment = Type.Object(
  {
    trackingId: Text('the tracking ID that was asked for', 'order-4711'),
    signature: Signature('transaction signature'),
    slot: Integer('blockchain slot', 452091000),
    timestamp: Moment('when it happened on the chain'),
    paymentPolicy: PublicKey('the policy that was paid by'),
    gateway: PublicKey('the gateway that executed it'),
    amount: Integer("amount in the token's smallest unit", 404000000),
    memo: Text('carries the tracking ID', 'order-4711'),
    recordId: Integer('number of the payment since its policy was created', 10),
    finality: FinalityField,
    retracted: RetractedField,
    ...PaymentFields,
  },
  {
    title: 'OneTimePayment',
    description: 'Anyone can write any memo: check recipient, token mint and amount before you ship.',
  },
)
export type OneTimePayment = Static<typeof OneTimePayment>

/** @param asked whether the client requested retracted payments */
export const toOneTimePayment = (
  payment: StoredOneTimePayment,
  tokens: Tokens,
  asked = false,
): OneTimePayment => ({
  trackingId: payment.trackingId,
  signature: payment.signature,
  slot: payment.slot,
  timestamp: payment.timestamp,
  paymentPolicy: payment.paymentPolicy,
  gateway: payment.gateway,
  amount: payment.amount,
  // A tracking ID is its memo without the padding, so the text is the same.
  memo: payment.trackingId,
  recordId: payment.recordId,
  ...toStanding(payment, asked),
  ...toPaymentFields(payment.eventId, payment.payment, tokens),
})
