import { Type, type TSchema } from 'typebox'
import type { OneTimePaymentField } from '@payment-tracking/store/reads'
import { Integer, Moment, PublicKey, Signature, Text, Written } from '../http/fields.js'
import { FinalityField, PaymentFields, RetractedField } from '../events/payment-fields.js'

/** The store writes the records: `oneTimePaymentText`. */
export const PaymentRecord = Type.Object(
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
  } satisfies Record<OneTimePaymentField, TSchema>,
  {
    title: 'OneTimePayment',
    description: 'Anyone can write any memo: check recipient, token mint and amount before you ship.',
  },
)

export const OneTimePayment = Written(PaymentRecord)
export const OneTimePayments = Written(Type.Array(PaymentRecord))
